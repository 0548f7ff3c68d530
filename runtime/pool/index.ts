/**
 * The node's worker threads. An `OutboundQueue` of the `Pool` admits outbound HTTP requests, fairly between their owners; the pool deals
 * them to the workers over one `WorkerChannel` each; pool.worker.ts runs there, with the client of runtime/outbound.
 */
export { OutboundQueue, PoolClosed, PoolOverloaded, type QueueLimits } from './outbound-queue.ts';
export { Pool } from './pool.ts';
export { WorkerLost } from './worker-channel.ts';
