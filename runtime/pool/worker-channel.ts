/**
 * The node's end of the channel to one worker, over which outbound requests and their results cross.
 *
 * In the worker a channel is one piscina task that lasts as long as the worker. Requests and results cross on its own port, many to
 * a message: a message for each would cost the node's thread 18 microseconds, a place in a message of 16 costs about 3.
 *
 *   open -> closing    `close`: nothing new is sent; what is in flight is finished
 *   open -> lost       the worker ended: what was in flight is rejected
 */
import type { MessagePort } from 'node:worker_threads';
import type { OutboundRequest, OutboundResult } from '../outbound/index.ts';

/** From the node to a worker. */
export type ToWorker =
  | { readonly do: 'send'; readonly ids: readonly number[]; readonly requests: readonly OutboundRequest[] }
  | { readonly do: 'cancel'; readonly id: number }
  | { readonly do: 'close' };

/** From a worker to the node: the results of one turn of the worker's event loop. */
export interface FromWorker {
  readonly ids: readonly number[];
  readonly results: readonly OutboundResult[];
}

/** The promise of a result. */
export interface Waiter {
  resolve(result: OutboundResult): void;
  reject(error: Error): void;
}

/** The worker ended, or was told to abandon the request, while it was in flight: whether it was sent is unknown. */
export class WorkerLost extends Error {
  override readonly name = 'WorkerLost';
}

export class WorkerChannel {
  readonly #port: MessagePort;
  readonly #waiters = new Map<number, Waiter>();
  #ids: number[] = [];
  #requests: OutboundRequest[] = [];
  #nextId = 1;

  constructor(port: MessagePort) {
    this.#port = port;
    port.on('message', (message: FromWorker) => this.#settle(message));
  }

  /** Requests that have no result yet. */
  get inFlight(): number {
    return this.#waiters.size;
  }

  /** Adds a request to the next message; returns its number. */
  add(request: OutboundRequest, waiter: Waiter): number {
    const id = this.#nextId++;
    this.#waiters.set(id, waiter);
    this.#ids.push(id);
    this.#requests.push(request);
    return id;
  }

  /** Posts the requests that were added. */
  flush(): void {
    if (this.#ids.length === 0) return;
    this.#post({ do: 'send', ids: this.#ids, requests: this.#requests });
    this.#ids = [];
    this.#requests = [];
  }

  /** Nobody waits for the request any more. Does nothing when it has its result. */
  cancel(id: number): void {
    if (this.#waiters.delete(id)) this.#post({ do: 'cancel', id });
  }

  /** Rejects everything in flight and tells the worker to cancel it. */
  abandonAll(): void {
    const waiters = [...this.#waiters];
    this.#waiters.clear();
    this.#ids = [];
    this.#requests = [];
    for (const [id, waiter] of waiters) {
      this.#post({ do: 'cancel', id });
      waiter.reject(new WorkerLost('the request was abandoned in flight'));
    }
  }

  /** Lets what is in flight finish; the worker's task then ends. */
  close(): void {
    this.flush();
    this.#post({ do: 'close' });
  }

  /** The worker ended: rejects what was in flight. */
  onWorkerExit(): void {
    this.#port.close();
    const waiters = [...this.#waiters.values()];
    this.#waiters.clear();
    for (const waiter of waiters)
      waiter.reject(new WorkerLost('the worker ended with the request in flight'));
  }

  #post(message: ToWorker): void {
    this.#port.postMessage(message);
  }

  #settle({ ids, results }: FromWorker): void {
    ids.forEach((id, index) => {
      const waiter = this.#waiters.get(id);
      const result = results[index];
      if (waiter === undefined || result === undefined) return;
      this.#waiters.delete(id);
      waiter.resolve(result);
    });
  }
}
