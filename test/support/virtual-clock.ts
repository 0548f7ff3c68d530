/** Virtual time: nothing waits, everything happens in order, and a run repeats exactly. */
import type { Clock, Timer } from '../../runtime/time/clock.ts';

interface Entry {
  readonly at: number;
  readonly callback: () => void;
}

export class VirtualClock implements Clock {
  readonly #start: number;
  #now: number;
  /** Milliseconds by which the wall clock has been put right, or wrong. */
  #offset = 0;
  /** By instant; those of one instant in the order of their making. */
  readonly #timers: Entry[] = [];

  /** `start` is the first instant, in epoch milliseconds. */
  constructor(start: number = Date.UTC(2026, 0, 1)) {
    this.#start = start;
    this.#now = start;
  }

  now(): number {
    return this.#now + this.#offset;
  }

  monotonic(): number {
    return this.#now - this.#start;
  }

  /** The wall clock jumps, forward or back; time goes on as it did. */
  jump(ms: number): void {
    this.#offset += ms;
  }

  after(ms: number, callback: () => void): Timer {
    const entry: Entry = { at: this.#now + Math.max(0, ms), callback };
    let i = this.#timers.length;
    while (i > 0 && (this.#timers[i - 1]?.at ?? 0) > entry.at) i--;
    this.#timers.splice(i, 0, entry);
    return {
      cancel: () => {
        const place = this.#timers.indexOf(entry);
        if (place >= 0) this.#timers.splice(place, 1);
      },
    };
  }

  /** Timers that are set. */
  get pending(): number {
    return this.#timers.length;
  }

  /** Lets every promise that is settled have its consequences. */
  flush(): Promise<void> {
    return new Promise(resolve => setImmediate(resolve));
  }

  /** Moves time on, running every timer that falls due at its instant, and what follows from it. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await this.flush();
    while (await this.#step(end));
    this.#now = end;
  }

  /** Moves time on until the promise settles, and gives its outcome. Throws when that takes more than `maxMs`. */
  async until<T>(promise: Promise<T>, maxMs = 60_000): Promise<T> {
    const end = this.#now + maxMs;
    let settled = false;
    const settle = (): void => {
      settled = true;
    };
    promise.then(settle, settle);
    await this.flush();
    while (!settled) {
      if (!(await this.#step(end))) throw new Error(`not settled within ${maxMs} ms of virtual time`);
    }
    return promise;
  }

  /** Runs the next timer, unless it comes after `end`. */
  async #step(end: number): Promise<boolean> {
    const next = this.#timers[0];
    if (next === undefined || next.at > end) return false;
    this.#timers.shift();
    this.#now = Math.max(this.#now, next.at);
    next.callback();
    await this.flush();
    return true;
  }
}
