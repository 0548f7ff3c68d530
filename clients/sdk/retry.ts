/**
 * When a call is tried again, and after how long. Tried again are: no connection, a timeout, 408 and 5xx, where sending the request twice
 * does no harm; 429, which was not carried out; and the 409 of a request whose first try is still in progress.
 */
import { ApiError, ConnectionError, TimeoutError } from './errors.ts';

const firstWaitMs = 500;
const longestWaitMs = 8_000;
/** Added to a Retry-After, so that those who were told the same do not come back at once. */
const spreadMs = 250;

/** What a policy needs to know of the call. */
export interface RetryLimits {
  /** Tries after the first. */
  readonly maxRetries: number;
  /** Waiting in all, in milliseconds. */
  readonly maxWaitMs: number;
  /** Whether sending the request twice does no harm. */
  readonly isRepeatable: boolean;
}

/** The state of one call between its tries. */
export class RetryPolicy {
  readonly #limits: RetryLimits;
  #failures = 0;
  #retriesLeft: number;
  #waitLeftMs: number;
  /** An earlier try had no answer: the server may be at work on it still. */
  #hasUnanswered = false;

  constructor(limits: RetryLimits) {
    this.#limits = limits;
    this.#retriesLeft = limits.maxRetries;
    this.#waitLeftMs = limits.maxWaitMs;
  }

  /** Milliseconds until the next try; undefined where there is none, and the error is the call's. */
  next(error: unknown): number | undefined {
    const isRateLimited = error instanceof ApiError && error.status === 429;
    if (this.#limits.maxRetries === 0 || !this.#canHelp(error)) return undefined;
    // What was refused by a quota was charged to nothing, and so it does not use up a try.
    if (!isRateLimited && this.#retriesLeft-- <= 0) return undefined;
    const waitMs = getWait(error, this.#failures++);
    if (waitMs > this.#waitLeftMs) return undefined;
    this.#waitLeftMs -= waitMs;
    return waitMs;
  }

  #canHelp(error: unknown): boolean {
    if (isUnanswered(error)) this.#hasUnanswered = true;
    if (!(error instanceof ApiError)) return this.#limits.isRepeatable && isTemporary(error);
    if (error.status === 429) return true;
    if (error.code === 'svc/runtime/idempotency_conflict') {
      const reason = error.details?.['reason'];
      // A server that is older than `reason` leaves it open. Then the first try of this very call is likely in progress.
      return reason === 'in_progress' || (reason === undefined && this.#hasUnanswered);
    }
    return this.#limits.isRepeatable && isTemporary(error);
  }
}

/** Whether the next try may have another outcome: no answer, 408, 429, and 5xx but for 501 and 505, and for 507, which lasts until space is freed. */
export function isTemporary(error: unknown): boolean {
  if (!(error instanceof ApiError)) return isUnanswered(error);
  const { status } = error;
  return status === 408 || status === 429 || (status >= 500 && ![501, 505, 507].includes(status));
}

function isUnanswered(error: unknown): boolean {
  return error instanceof ConnectionError || error instanceof TimeoutError;
}

/** As the server says, unless that is nothing; else 0.5 s, twice as long after each failure, up to 8 s, and a random quarter less. */
function getWait(error: unknown, failures: number): number {
  if (error instanceof ApiError && error.retryAfterSeconds) {
    return error.retryAfterSeconds * 1000 + Math.random() * spreadMs;
  }
  return Math.min(longestWaitMs, firstWaitMs * 2 ** failures) * (1 - Math.random() / 4);
}
