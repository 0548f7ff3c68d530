/**
 * The asks of one shard that found no owner, in the order in which they were made, so that a takeover does not shuffle what one
 * sender asks of an actor without waiting for answers. An ask that is on its way in the very moment in which the shard changes
 * hands may still be overtaken: whoever must be sure waits for the answer.
 *
 *   resting -> probing    the pause is over: the first ask of the line goes, alone
 *   probing -> resting    no owner again: it is the first as before, and the pause doubles
 *   probing -> gone       it was answered, or somebody has it: the others follow at once, in their order
 *   resting -> gone       the shard has come to this node: all go at once; while probing, as soon as the first is heard of
 *
 * So a shard without an owner costs one ask per pause, however many wait.
 */
import type { Clock, Random, Timer } from './clock.ts';
import type { Envelope } from './transport/transport.ts';

const firstPauseMs = 5;
const longestPauseMs = 100;
/** Nobody says "no owner" later than this: an ask that is out for longer is with an owner, who takes his time. */
const takenMs = 50;

/** An ask whose caller waits. */
export interface Asking {
  /** Grows with every ask of the node. */
  readonly serial: number;
  readonly envelope: Envelope;
  readonly resolve: (reply: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export interface WaitingLineOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Sends an ask; whether somebody took it: false for no owner, and then the ask is still the line's. */
  readonly send: (asking: Asking) => Promise<boolean>;
  /** The line is over, and who waited in it goes now. */
  readonly gone: (rest: readonly Asking[]) => void;
  /** An ask that was taken for sent has found no owner after all: it goes like any new one. */
  readonly again: (asking: Asking) => void;
  /** The ask's deadline has come while nobody owned the shard. */
  readonly late: (asking: Asking) => void;
}

export class WaitingLine {
  readonly #options: WaitingLineOptions;
  /** By serial, ascending. */
  #asks: Asking[] = [];
  #pauseMs = firstPauseMs;
  #timer: Timer | undefined;
  /** The first ask is out. */
  #probing = false;
  /** The shard is here. */
  #home = false;
  #gone = false;

  constructor(options: WaitingLineOptions) {
    this.#options = options;
    this.#rest();
  }

  /** Only until the line is gone. */
  add(asking: Asking): void {
    let place = this.#asks.length;
    while (place > 0 && (this.#asks[place - 1]?.serial ?? 0) > asking.serial) place--;
    this.#asks.splice(place, 0, asking);
  }

  /** The shard has come to this node. */
  comeHome(): void {
    this.#home = true;
    if (!this.#probing) this.#leave();
  }

  #leave(): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#timer?.cancel();
    this.#options.gone(this.#asks);
    this.#asks = [];
  }

  #rest(): void {
    const { clock, random } = this.#options;
    const pauseMs = this.#pauseMs * (0.5 + random.next());
    this.#pauseMs = Math.min(this.#pauseMs * 2, longestPauseMs);
    const now = clock.monotonic();
    const patience = this.#asks.reduce(
      (least, { envelope }) => Math.min(least, envelope.deadline - now),
      pauseMs,
    );
    this.#timer = clock.after(Math.max(0, patience), () => void this.#probe());
  }

  async #probe(): Promise<void> {
    this.#dropLate();
    const first = this.#asks.shift();
    if (first === undefined) {
      this.#leave();
      return;
    }
    this.#probing = true;
    this.#timer = this.#options.clock.after(takenMs, () => this.#leave());
    const taken = await this.#options.send(first);
    this.#probing = false;
    if (this.#gone) {
      if (!taken) this.#options.again(first);
      return;
    }
    this.#timer.cancel();
    if (!taken) this.#asks.unshift(first);
    if (taken || this.#home) this.#leave();
    else this.#rest();
  }

  #dropLate(): void {
    const now = this.#options.clock.monotonic();
    const inTime = this.#asks.filter(({ envelope }) => envelope.deadline > now);
    if (inTime.length === this.#asks.length) return;
    for (const asking of this.#asks) if (asking.envelope.deadline <= now) this.#options.late(asking);
    this.#asks = inTime;
  }
}
