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
   * {@link PoolOverloaded} and {@link PoolClosed} (nothing was sent), with `WorkerLost` (unknown), or with a signal's reason.
   *
   * @param owner whose receivers are asked: what is in flight is shared between owners
   * @param signal ends the request, whether it waits or is in flight
   * @param withdrawn ends it while it waits: nothing was sent. What is in flight goes on
   */
  send(
    request: OutboundRequest,
    owner: string,
    signal?: AbortSignal,
    withdrawn?: AbortSignal,
  ): Promise<OutboundResult> {
    if (this.#stopped.signal.aborted) return Promise.reject(new PoolClosed('the pool is closed'));
    for (const each of [signal, withdrawn])
      if (each?.aborted === true) return Promise.reject(each.reason as Error);
    const origin = this.#getOrigin(request.url);
    if (this.#admission.tryEnter(owner, origin)) return this.#sendNow(request, owner, origin, signal);
    return this.#sendLater(request, owner, origin, signal, withdrawn);
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
    withdrawn: AbortSignal | undefined,
  ): Promise<OutboundResult> {
    if (!this.#admission.tryWait(owner)) throw new PoolOverloaded('too many requests are in flight');
    const since = performance.now();
    const signals = [this.#stopped.signal, signal, withdrawn].filter(each => each !== undefined);
    await this.#waitForTurn(owner, origin, signals);
    const { at } = request;
    const later = at === undefined ? request : { ...request, at: at + Math.round(performance.now() - since) };
    return this.#sendNow(later, owner, origin, signal);
  }

  /** Rejects with the reason of the first of the signals. (`AbortSignal.any` leaves something behind at a signal that lives as long as the node.) */
  async #waitForTurn(owner: string, origin: string, signals: readonly AbortSignal[]): Promise<void> {
    const first = new AbortController();
    const abort = ({ target }: Event): void => first.abort((target as AbortSignal).reason);
    for (const each of signals) each.addEventListener('abort', abort, { once: true });
    try {
      await this.#admission.enter(owner, origin, first.signal);
    } finally {
      for (const each of signals) each.removeEventListener('abort', abort);
    }
    if (!first.signal.aborted) return;
    this.#admission.leave(owner, origin);
    throw first.signal.reason as Error;
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
