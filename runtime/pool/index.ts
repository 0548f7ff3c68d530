/**
 * The node's worker threads. `Pool` admits outbound HTTP requests and deals them to the workers over one `WorkerChannel`
 * each; pool.worker.ts runs there, with the client of runtime/outbound.
 */
export { Pool, PoolClosed, PoolOverloaded } from './pool.ts';
export { WorkerLost } from './worker-channel.ts';
