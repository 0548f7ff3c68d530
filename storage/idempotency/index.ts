/**
 * What was done under Idempotency-Keys. `transactOnce` and `performOnce` do a request's work under its key, where no actor's commit carries
 * it; `IdempotencyKeys` finds what was done, and keeps refusals.
 */
export { IdempotencyKeys, type KeptRow } from './idempotency-keys.ts';
export { type Keyed, KeyTaken, performOnce, requireFree, transactOnce, type WorkKey } from './once.ts';
