import { randomBytes } from 'node:crypto';
import type { Random } from './clock.ts';

/** `next` spreads retries and needs no secrecy; `bytes` is the kernel's generator. */
export const systemRandom: Random = { next: Math.random, bytes: randomBytes };
