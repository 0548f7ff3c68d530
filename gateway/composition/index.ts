/** Puts a node together: storage, cluster, actors, and the servers, in this order. */
export { StartRefused } from './preconditions.ts';
export { type Skein, StartAborted, startSkein } from './start.ts';
