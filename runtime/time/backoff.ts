/** How long to wait before the next try: the same everywhere, so that callers who fail together do not retry together. */
import type { Random } from './clock.ts';

/** Milliseconds to wait after the `failures`th failure: doubling from `firstMs` to `maxMs`, give or take a quarter. */
export function backoffMs(failures: number, firstMs: number, maxMs: number, random: Random): number {
  const step = Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 30));
  return Math.ceil(step * (0.75 + random.next() / 2));
}

/** The waits of one loop that tries until it succeeds. */
export class Backoff {
  readonly #firstMs: number;
  readonly #maxMs: number;
  readonly #random: Random;
  #failures = 0;

  constructor(firstMs: number, maxMs: number, random: Random) {
    this.#firstMs = firstMs;
    this.#maxMs = maxMs;
    this.#random = random;
  }

  /** Milliseconds to wait after one more failure. */
  next(): number {
    this.#failures++;
    return backoffMs(this.#failures, this.#firstMs, this.#maxMs, this.#random);
  }

  /** A try succeeded: the next failure is the first again. */
  reset(): void {
    this.#failures = 0;
  }
}
