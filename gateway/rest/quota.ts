/** Rate limits as the engine sees them (decisions section 9). */
import { ServiceError } from '../../protocol/errors.ts';
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

/**
 * The buckets. A request is charged twice at most: on its way in, before anything is done for it, and once more when it is known
 * and allowed what it is about. Synchronous where the buckets are at hand.
 */
export interface Quotas {
  /** By its credential, or without one by its address. */
  enter(rate: RateClass, call: Call): Quota | Promise<Quota>;
  /** By what it is about; undefined: nothing more limits it. Where that refuses, what was charged on the way in is given back. */
  about(rate: RateClass, call: Call): Quota | undefined | Promise<Quota | undefined>;
  /** By its address: a request that comes from nobody known, or to nowhere. */
  stranger(address: string): Quota | Promise<Quota>;
  /** Takes `stranger` back: it was somebody after all. */
  forgive(address: string): void;
}

/** 429 for a request that a bucket had no room for. */
export function exceeded(quota: Quota): ServiceError {
  return new ServiceError('svc/rate_limit/exceeded', {
    retryAfterSeconds: Math.max(1, quota.retryAfterSeconds ?? quota.resetSeconds),
  });
}

/** On every answer that was charged: whole requests, and whole seconds rounded up. */
export function quotaHeaders(quota: Quota): Record<string, string> {
  return {
    'X-RateLimit-Limit': String(quota.limit),
    'X-RateLimit-Remaining': String(Math.max(0, quota.remaining)),
    'X-RateLimit-Reset': String(Math.max(0, Math.ceil(quota.resetSeconds))),
  };
}
