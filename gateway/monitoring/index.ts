/** What orchestrators and operators ask a node: health, readiness, metrics, and the state of the cluster. */
export { boundLog } from './bounded-log.ts';
export { serveClusterStatus } from './cluster-status.ts';
export { type Check, exposeChecks, Health } from './health.ts';
export { type Pools, showPools } from './pools.ts';
