/** Randomness that repeats exactly: mulberry32 (https://gist.github.com/tommyettinger/46a874533244883189143505d203312c). */
import type { Random } from '../../runtime/time/clock.ts';

export function seeded(seed: number): Random {
  let a = seed;
  const next = (): number => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), a | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  return { next, bytes: size => Uint8Array.from({ length: size }, () => Math.floor(next() * 256)) };
}
