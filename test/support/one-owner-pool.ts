/** A pool with one queue, all of whose requests have the same owner. */
import type { OutboundRequest, OutboundResult } from '../../runtime/outbound/request.ts';
import type { OutboundQueue, QueueLimits } from '../../runtime/pool/outbound-queue.ts';
import { Pool, type PoolOptions } from '../../runtime/pool/pool.ts';

export class OneOwnerPool extends Pool {
  readonly queue: OutboundQueue;

  constructor(options: PoolOptions & Partial<QueueLimits> = {}) {
    const { maxInFlight = 4_096, maxWaiting = 4_096, ...others } = options;
    super({ reach: 'loopback', threads: 1, ...others });
    this.queue = this.openQueue({ maxInFlight, maxWaiting });
  }

  send(request: OutboundRequest, signal?: AbortSignal): Promise<OutboundResult> {
    return this.queue.send(request, 'owner', signal);
  }
}
