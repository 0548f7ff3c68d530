/**
 * The asks of one shard that found no owner, in the order in which they were made, so that a takeover does not shuffle what one sender
 * asks of an actor without waiting for answers. An ask that is sent in the very moment in which the shard changes hands may still be
 * overtaken: a sender who needs order waits for the answer.
 *
 *   waiting -> probing     the back-off is over: the first ask is sent, alone
 *   probing -> waiting     no owner again: it stays the first, and the back-off doubles
 *   probing -> released    it was answered, or an owner has it: all others follow at once, in their order
 *   waiting -> released    this node now owns the shard: all are sent at once; while probing, once the first is settled
 *
 * So a shard without an owner costs one ask per back-off, however many are parked.
 */
import { Backoff, type Clock, type Random, type Timer } from '../time/index.ts';
import type { Envelope } from '../transport/index.ts';

const firstProbeWaitMs = 5;
const maxProbeWaitMs = 100;
/** "No owner" is never reported later than this: an ask that has waited longer has reached its owner, which is slow. */
const acceptedAfterMs = 50;

/** An ask whose sender waits for the answer. */
export interface RoutedAsk {
  /** Grows with every ask of the node. */
  readonly serial: number;
  readonly envelope: Envelope;
  readonly resolve: (reply: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export interface ParkedRequestsOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Sends an ask. False when no owner was found: the ask stays parked. */
  readonly send: (ask: RoutedAsk) => Promise<boolean>;
  /** Called once at the end, with the asks that are to be sent now. */
  readonly onReleased: (rest: readonly RoutedAsk[]) => void;
  /** Sends an ask again that seemed accepted and then found no owner. */
  readonly resend: (ask: RoutedAsk) => void;
  /** The ask's deadline has passed. */
  readonly onExpired: (ask: RoutedAsk) => void;
}

export class ParkedRequests {
  readonly #options: ParkedRequestsOptions;
  readonly #backoff: Backoff;
  /** By serial, ascending. */
  #asks: RoutedAsk[] = [];
  #timer: Timer | undefined;
  #isProbing = false;
  #isOwnedHere = false;
  #isReleased = false;

  constructor(options: ParkedRequestsOptions) {
    this.#options = options;
    this.#backoff = new Backoff(firstProbeWaitMs, maxProbeWaitMs, options.random);
    this.#wait();
  }

  /** Only before the release. */
  add(ask: RoutedAsk): void {
    let place = this.#asks.length;
    while (place > 0 && (this.#asks[place - 1]?.serial ?? 0) > ask.serial) place--;
    this.#asks.splice(place, 0, ask);
  }

  /** This node now owns the shard. */
  onOwned(): void {
    this.#isOwnedHere = true;
    if (!this.#isProbing) this.#release();
  }

  #release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#timer?.cancel();
    this.#options.onReleased(this.#asks);
    this.#asks = [];
  }

  /** Until the next probe, or the next deadline. */
  #wait(): void {
    const { clock } = this.#options;
    const now = clock.monotonic();
    const waitMs = this.#asks.reduce(
      (least, { envelope }) => Math.min(least, envelope.deadline - now),
      this.#backoff.next(),
    );
    this.#timer = clock.after(Math.max(0, waitMs), () => void this.#probe());
  }

  async #probe(): Promise<void> {
    this.#dropExpired();
    const first = this.#asks.shift();
    if (first === undefined) {
      this.#release();
      return;
    }
    this.#isProbing = true;
    this.#timer = this.#options.clock.after(acceptedAfterMs, () => this.#release());
    const accepted = await this.#options.send(first);
    this.#isProbing = false;
    if (this.#isReleased) {
      if (!accepted) this.#options.resend(first);
      return;
    }
    this.#timer.cancel();
    if (!accepted) this.#asks.unshift(first);
    if (accepted || this.#isOwnedHere) this.#release();
    else this.#wait();
  }

  #dropExpired(): void {
    const now = this.#options.clock.monotonic();
    const inTime = this.#asks.filter(({ envelope }) => envelope.deadline > now);
    if (inTime.length === this.#asks.length) return;
    for (const ask of this.#asks) if (ask.envelope.deadline <= now) this.#options.onExpired(ask);
    this.#asks = inTime;
  }
}
