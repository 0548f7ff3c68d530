import type { Random } from './clock.ts';

/** Milliseconds to wait after the `failures`th failure: doubling from `firstMs` to `longestMs`, give or take a quarter. */
export function backoffMs(failures: number, firstMs: number, longestMs: number, random: Random): number {
  const step = Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 30));
  return Math.ceil(step * (0.75 + random.next() / 2));
}
