/**
 * A queue of requests to the pool with limits of its own, so that one sort of work (deliveries, tool calls, files) does not take what
 * another needs; and fair within (admission.ts). A request that may not be sent yet waits here, where its time does not run.
 */
import { LRUCache } from 'lru-cache';
import type { OutboundRequest, OutboundResult } from '../outbound/index.ts';
import { Admission, type AdmissionLimits } from './admission.ts';

export type QueueLimits = Omit<AdmissionLimits, 'maxPerOrigin'>;

/** There is no room: nothing was started; try again later. */
export class PoolOverloaded extends Error {
  override readonly name = 'PoolOverloaded';
}

/** The pool takes no more work. */
export class PoolClosed extends Error {
  override readonly name = 'PoolClosed';
}

/** Addresses whose origin is remembered: parsing one costs as much as all else that is done here for a request. */
const maxOrigins = 1_000;

type Send = (request: OutboundRequest, signal: AbortSignal | undefined) => Promise<OutboundResult>;

export class OutboundQueue {
  readonly #admission: Admission;
  readonly #send: Send;
  readonly #origins = new LRUCache<string, string>({ max: maxOrigins });
  readonly #stopped = new AbortController();

  constructor(limits: AdmissionLimits, send: Send) {
    this.#admission = new Admission(limits);
    this.#send = send;
  }

  /** Requests in flight, and requests that wait to be sent. */
  get stats(): Admission['stats'] {
    return this.#admission.stats;
  }

  /**
   * Sends a request and resolves with its result; a refusal by the address guard and a timeout are results, too. Rejects with
   * {@link PoolOverloaded} and {@link PoolClosed} (nothing was sent), with `WorkerLost` (unknown), or with the signal's reason.
   *
   * @param owner whose receivers are asked: what is in flight is shared between owners
   */
  send(request: OutboundRequest, owner: string, signal?: AbortSignal): Promise<OutboundResult> {
    if (this.#stopped.signal.aborted) return Promise.reject(new PoolClosed('the pool is closed'));
    if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
    const origin = this.#getOrigin(request.url);
    if (!this.#admission.tryEnter(owner, origin)) return this.#sendLater(request, owner, origin, signal);
    return this.#sendNow(request, owner, origin, signal);
  }

  /** Takes nothing new, and gives up what waits. What is in flight goes on. */
  stop(): void {
    this.#stopped.abort(new PoolClosed('the pool is closed'));
  }

  async #sendLater(
    request: OutboundRequest,
    owner: string,
    origin: string,
    signal: AbortSignal | undefined,
  ): Promise<OutboundResult> {
    if (!this.#admission.tryWait(owner)) throw new PoolOverloaded('too many requests are in flight');
    const since = performance.now();
    const { signal: stopped } = this.#stopped;
    await this.#admission.enter(
      owner,
      origin,
      signal === undefined ? stopped : AbortSignal.any([signal, stopped]),
    );
    const { at } = request;
    const later = at === undefined ? request : { ...request, at: at + Math.round(performance.now() - since) };
    return this.#sendNow(later, owner, origin, signal);
  }

  async #sendNow(
    request: OutboundRequest,
    owner: string,
    origin: string,
    signal: AbortSignal | undefined,
  ): Promise<OutboundResult> {
    try {
      return await this.#send(request, signal);
    } finally {
      this.#admission.leave(owner, origin);
    }
  }

  /** Empty for what is no address: the worker says so. */
  #getOrigin(url: string): string {
    let origin = this.#origins.get(url);
    if (origin === undefined) {
      origin = URL.parse(url)?.origin ?? '';
      this.#origins.set(url, origin);
    }
    return origin;
  }
}
