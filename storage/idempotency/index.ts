/** Answers kept under Idempotency-Keys, for requests that are no command of one actor. */
export { type Claim, type Grounds, IdempotencyKeys, type KeptAnswer } from './idempotency-keys.ts';
