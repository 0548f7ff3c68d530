/**
 * Asks for actors that live on other nodes. There is no routing table: the shard's owner is whoever answers its subject, and
 * while nobody does (a hand-over, a takeover) the ask is tried again until its deadline.
 */
import { internalError, serviceErrorOf, unavailable } from './failures.ts';
import type { Clock, Random } from './clock.ts';
import type { Limits } from './limits.ts';
import type { Log } from './log.ts';
import type { Counters } from './metrics.ts';
import { NoOwner, type Envelope, type Transport } from './transport/transport.ts';

const firstPauseMs = 5;
const longestPauseMs = 100;

export interface RouterOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  readonly limits: Limits;
  readonly log: Log;
  readonly counters: Counters;
  /** Asks the actor on this node, if the node has come to own the shard meanwhile. */
  readonly here: (envelope: Envelope) => Promise<unknown> | undefined;
  /** Told of each shard that turned out to have no owner. */
  readonly ownerless: (shard: number) => void;
}

export class Router {
  readonly #options: RouterOptions;
  #outgoing = 0;
  #closed = false;
  readonly #whenQuiet: (() => void)[] = [];

  constructor(options: RouterOptions) {
    this.#options = options;
  }

  /** Asks on their way. */
  get outgoing(): number {
    return this.#outgoing;
  }

  /** Rejects only with a `ServiceError`. */
  async ask(shard: number, envelope: Envelope): Promise<unknown> {
    const { limits, counters, log } = this.#options;
    if (this.#outgoing >= limits.admitted) {
      counters.overloaded++;
      throw unavailable('overloaded');
    }
    this.#outgoing++;
    try {
      return await this.#untilOwned(shard, envelope);
    } catch (error) {
      const known = serviceErrorOf(error);
      if (known !== undefined) throw known;
      const { kind, id, command, requestId } = envelope;
      log.error({ err: error, kind, id, command, requestId }, 'an ask failed on its way');
      throw internalError();
    } finally {
      this.#outgoing--;
      if (this.#outgoing === 0) for (const resolve of this.#whenQuiet.splice(0)) resolve();
    }
  }

  /** Resolves when no ask is on its way. */
  quiet(): Promise<void> {
    if (this.#outgoing === 0) return Promise.resolve();
    return new Promise(resolve => this.#whenQuiet.push(resolve));
  }

  /** From now on asks that find no owner fail at once. */
  close(): void {
    this.#closed = true;
  }

  async #untilOwned(shard: number, envelope: Envelope): Promise<unknown> {
    const { transport, clock, random, counters, here, ownerless } = this.#options;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      try {
        return await (here(envelope) ?? transport.ask(shard, envelope));
      } catch (error) {
        if (!(error instanceof NoOwner)) throw error;
      }
      counters.noOwner++;
      ownerless(shard);
      if (this.#closed) throw unavailable('draining');
      const jittered = pauseMs * (0.5 + random.next());
      if (clock.now() + jittered >= envelope.deadline) throw unavailable('no_owner');
      await new Promise<void>(resolve => clock.after(jittered, resolve));
    }
  }
}
