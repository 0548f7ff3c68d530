/**
 * Asks for actors that live on other nodes. There is no routing table: the shard's owner is whoever answers its subject, and
 * while nobody does (a hand-over, a takeover) the shard's asks wait in line (waiting-line.ts) until their deadlines.
 */
import { internalError, serviceErrorOf, unavailable } from './failures.ts';
import type { Clock, Random } from './clock.ts';
import type { Limits } from './limits.ts';
import type { Log } from './log.ts';
import type { Counters } from './metrics.ts';
import { NoOwner, type Envelope, type Transport } from './transport/transport.ts';
import { WaitingLine, type Asking } from './waiting-line.ts';

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
  readonly #lines = new Map<number, WaitingLine>();
  #serial = 0;
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
      return await new Promise((resolve, reject) => {
        this.#start(shard, { serial: this.#serial++, envelope, resolve, reject });
      });
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

  /** Whether asks wait for the shard's owner: whoever comes now waits behind them, also when the owner is this node by now. */
  isWaiting(shard: number): boolean {
    return this.#lines.size > 0 && this.#lines.has(shard);
  }

  /** This node has come to own the shard (all of its own when absent): who waits for it goes before whoever comes now. */
  owned(shard?: number): void {
    if (shard !== undefined) this.#lines.get(shard)?.comeHome();
    else for (const line of [...this.#lines.values()]) line.comeHome();
  }

  #start(shard: number, asking: Asking): void {
    const line = this.#lines.get(shard);
    if (line !== undefined) line.add(asking);
    else void this.#send(shard, asking).then(taken => taken || this.#wait(shard, asking));
  }

  /** Whether somebody took it; then the asker is answered. */
  async #send(shard: number, { envelope, resolve, reject }: Asking): Promise<boolean> {
    const { transport, here, counters, ownerless } = this.#options;
    try {
      resolve(await (here(envelope) ?? transport.ask(shard, envelope)));
    } catch (error) {
      if (error instanceof NoOwner) {
        counters.noOwner++;
        ownerless(shard);
        if (!this.#closed) return false;
        reject(unavailable('draining'));
      } else {
        reject(error);
      }
    }
    return true;
  }

  #wait(shard: number, asking: Asking): void {
    let line = this.#lines.get(shard);
    if (line === undefined) this.#lines.set(shard, (line = this.#lineOf(shard)));
    line.add(asking);
  }

  #lineOf(shard: number): WaitingLine {
    const { clock, random } = this.#options;
    return new WaitingLine({
      ...{ clock, random },
      send: asking => this.#send(shard, asking),
      again: asking => this.#start(shard, asking),
      late: ({ reject }) => reject(unavailable('no_owner')),
      gone: rest => {
        this.#lines.delete(shard);
        for (const asking of rest) this.#start(shard, asking);
      },
    });
  }
}
