/** Rate limits as the pipeline sees them (docs/contract-decisions.md, "Rate limits"). gateway/quota implements them. */
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
  /** Until the next request would be allowed; only where `allowed` is false, as the next two. */
  readonly retryAfterSeconds?: number;
  /** The bucket's name (docs/operate/rate-limits.md). */
  readonly bucket?: string;
  readonly windowSeconds?: number;
}

/**
 * Charges requests to buckets. A request is charged at most twice: before any work is done for it, and again when it is known and
 * allowed what it is about. Synchronous where this node holds a lease on the bucket.
 */
export interface RateLimiter {
  /** By the caller's credential, or by the address where the operation needs none. */
  chargeCaller(rate: RateClass, call: Call): Quota | Promise<Quota>;
  /** By what the request is about; undefined: no further limit applies. A refusal refunds what `chargeCaller` took. */
  chargeSubject(rate: RateClass, call: Call): Quota | undefined | Promise<Quota | undefined>;
  /** By the sender's address: for anonymous requests, and for paths that do not exist. */
  chargeAnonymous(address: string): Quota | Promise<Quota>;
  /** Takes `chargeAnonymous` back: the credential turned out to be good. */
  refundAnonymous(address: string): void;
}

/** The 429 for a request that a bucket had no room for. */
export function quotaExceeded(quota: Quota): ServiceError {
  const { bucket, limit, windowSeconds } = quota;
  const retryAfterSeconds = Math.max(1, quota.retryAfterSeconds ?? quota.resetSeconds);
  if (bucket === undefined) return new ServiceError('svc/rate_limit/exceeded', { retryAfterSeconds });
  const rate = `${limit} requests in ${windowSeconds ?? 0} s`;
  return new ServiceError('svc/rate_limit/exceeded', {
    message: `The quota ${bucket} is used up (${rate}). Retry after the time in Retry-After.`,
    details: { bucket, limit, windowSeconds },
    retryAfterSeconds,
  });
}

/**
 * The charge that an anonymous sender's address pays: for a credential that is invalid, or that this node does not know yet, before it
 * is looked up. At most one per request.
 *
 *   free -> charged    the address was charged and had room
 *   charged -> free    refunded: the credential was good
 */
export class AnonymousCharge {
  readonly #limiter: Pick<RateLimiter, 'chargeAnonymous' | 'refundAnonymous'>;
  readonly #address: string;
  #state: 'free' | 'charged' = 'free';

  constructor(limiter: Pick<RateLimiter, 'chargeAnonymous' | 'refundAnonymous'>, address: string) {
    this.#limiter = limiter;
    this.#address = address;
  }

  /** The address's quota; undefined where it was charged before. */
  take(): Quota | undefined | Promise<Quota> {
    if (this.#state === 'charged') return undefined;
    const quota = this.#limiter.chargeAnonymous(this.#address);
    return quota instanceof Promise ? quota.then(taken => this.#note(taken)) : this.#note(quota);
  }

  /** Gives the charge back. False: there was none. */
  refund(): boolean {
    if (this.#state === 'free') return false;
    this.#state = 'free';
    this.#limiter.refundAnonymous(this.#address);
    return true;
  }

  #note(quota: Quota): Quota {
    if (quota.allowed) this.#state = 'charged';
    return quota;
  }
}
