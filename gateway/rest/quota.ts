/** Rate limits as the engine sees them (decisions section 9). */
import type { RateClass } from '../../protocol/operation.ts';
import type { Call } from './handler.ts';

/** The state of the bucket that a request was charged to. */
export interface Quota {
  /** False: the request is answered 429. */
  readonly allowed: boolean;
  /** Requests per window. */
  readonly limit: number;
  readonly remaining: number;
  /** Until the bucket is full again. */
  readonly resetSeconds: number;
  /** Until the next request would be allowed; where `allowed` is false. */
  readonly retryAfterSeconds?: number;
}

/** Charges one request; undefined: nothing limits it. Synchronous where the bucket is at hand. */
export type TakeQuota = (rate: RateClass, call: Call) => Quota | undefined | Promise<Quota | undefined>;

/** On every answer that was charged: whole requests, and whole seconds rounded up. */
export function quotaHeaders(quota: Quota): Record<string, string> {
  return {
    'X-RateLimit-Limit': String(quota.limit),
    'X-RateLimit-Remaining': String(Math.max(0, quota.remaining)),
    'X-RateLimit-Reset': String(Math.max(0, Math.ceil(quota.resetSeconds))),
  };
}
