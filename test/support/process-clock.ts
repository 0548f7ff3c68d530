import type { Clock, Timer } from '../../runtime/time/clock.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** The clock of one process: while that is stopped, time goes by and nothing happens. */
export class ProcessClock implements Clock {
  readonly #clock: VirtualClock;
  #held: (() => void)[] | undefined;
  #dead = false;

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now();
  }

  monotonic(): number {
    return this.#clock.monotonic();
  }

  after(ms: number, callback: () => void): Timer {
    let isCancelled = false;
    const run = (): void => {
      if (!isCancelled && !this.#dead) callback();
    };
    const timer = this.#clock.after(ms, () => {
      if (this.#held === undefined) run();
      else this.#held.push(run);
    });
    return {
      cancel: () => {
        isCancelled = true;
        timer.cancel();
      },
    };
  }

  stop(): void {
    this.#held ??= [];
  }

  resume(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const run of held) run();
  }

  kill(): void {
    this.#dead = true;
  }
}
