/**
 * Lets work begin one piece after another: of one owner every so many milliseconds, of all together twice as often; owners take turns.
 * Where the processors are busy, timers are late and the pace is slower. What has begun is not waited for.
 */
import type { Clock } from '../../../runtime/clock.ts';
import { pauseUnless } from '../../../runtime/pause.ts';
import { Places } from './places.ts';

export class Pace {
  readonly #clock: Clock;
  readonly #everyMs: number;
  // Of two places one owner has one. Whoever waits is one of those that have a place for their work: so many and no more.
  readonly #turns = new Places(2, Infinity);

  constructor(clock: Clock, everyMs: number) {
    this.#clock = clock;
    this.#everyMs = everyMs;
  }

  /** Resolves when it is the owner's turn. Rejects with the signal's reason. */
  turn(owner: string, signal: AbortSignal): Promise<void> {
    return this.#turns.inTurn(owner, signal, () => pauseUnless(this.#clock, this.#everyMs, signal));
  }
}
