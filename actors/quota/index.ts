/**
 * Rate limits of a cluster: token buckets (bucket.ts) that nodes draw from by leases (shared-bucket.ts), each one an actor in memory
 * (kind.ts). The gateway spends the tokens: see gateway/quota.
 */
export { fullLevel, msUntil, quarterRate, type Rate, refill, toWholeTokens } from './bucket.ts';
export { createQuotaKinds, getQuotaRef, type Grant, type Take } from './kind.ts';
export { spendMs } from './shared-bucket.ts';
