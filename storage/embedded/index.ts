/** The node's own PostgreSQL, started when no DATABASE_URL is given. */
export { freePort } from './cluster.ts';
export { ClusterExists, locateCluster, placeCluster } from './place.ts';
export { readProcessStart } from './process.ts';
export { type Embedded, FolderInUse, readEmbeddedUrl, startEmbedded } from './start.ts';
