/**
 * The node's end of one worker's outbound session.
 *
 * A session is one piscina task that lasts as long as its worker; requests and results cross on its own port, many to a
 * message (a message for each would cost the node's thread 18 microseconds, a place in one of 16 costs about 3).
 *
 * States: open; closing (drain was asked, nothing new is taken); lost (the worker ended; what was in flight is rejected).
 */
import type { MessagePort } from 'node:worker_threads';
import type { FromWorker, OutboundRequest, OutboundResult, ToWorker } from './messages.ts';

/** Whoever waits for a result. */
export interface Waiter {
  resolve(result: OutboundResult): void;
  reject(error: Error): void;
}

/** The worker ended, or was told to drop the request, while it was in flight: whether it was sent is not known. */
export class WorkerLost extends Error {
  override readonly name = 'WorkerLost';
}

export class Session {
  readonly #port: MessagePort;
  readonly #waiters = new Map<number, Waiter>();
  #ids: number[] = [];
  #requests: OutboundRequest[] = [];
  #next = 1;

  constructor(port: MessagePort) {
    this.#port = port;
    port.on('message', (message: FromWorker) => this.#settle(message));
  }

  /** Requests that have no result yet. */
  get inFlight(): number {
    return this.#waiters.size;
  }

  /** Adds a request to the next message; gives its number. */
  add(request: OutboundRequest, waiter: Waiter): number {
    const id = this.#next++;
    this.#waiters.set(id, waiter);
    this.#ids.push(id);
    this.#requests.push(request);
    return id;
  }

  /** Posts what was added. */
  flush(): void {
    if (this.#ids.length === 0) return;
    this.#post({ do: 'send', ids: this.#ids, requests: this.#requests });
    this.#ids = [];
    this.#requests = [];
  }

  /** Nobody waits for the request any more. Nothing when it is over. */
  cancel(id: number): void {
    if (this.#waiters.delete(id)) this.#post({ do: 'cancel', id });
  }

  /** Drops what is in flight. */
  giveUp(): void {
    const waiters = [...this.#waiters];
    this.#waiters.clear();
    this.#ids = [];
    this.#requests = [];
    for (const [id, waiter] of waiters) {
      this.#post({ do: 'cancel', id });
      waiter.reject(new WorkerLost('the request was given up in flight'));
    }
  }

  /** Lets what is in flight finish; the session's task then ends. */
  close(): void {
    this.flush();
    this.#post({ do: 'close' });
  }

  /** The worker ended: rejects what it had. */
  lose(): void {
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
