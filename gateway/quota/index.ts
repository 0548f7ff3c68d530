/**
 * Rate limits. `createRateLimiter` makes what the pipeline charges requests with: it chooses the buckets of a request
 * (rate-limiter.ts) and spends the tokens that this node holds of them (bucket-lease.ts). The buckets themselves are actors, shared
 * by the whole cluster (actors/quota). Their rates are set in rates.ts and by RATE_LIMITS. How much a tenant may have is set by LIMITS.
 */
export { createRateLimiter, type RateLimiterOptions } from './rate-limiter.ts';
export { DiskSpace } from './disk-space.ts';
export { createStorageRoom } from './storage-room.ts';
export { StorageQuota } from './storage-quota.ts';
export { createHostRates } from './host-rates.ts';
export { faultInLimits, readLimits } from './limits.ts';
export {
  bucketNames,
  defaultRates,
  faultInRates,
  longestWindowMs,
  readRates,
  unlimited,
  type Rates,
} from './rates.ts';
