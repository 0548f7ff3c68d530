/**
 * A token bucket (https://en.wikipedia.org/wiki/Token_bucket), exactly: pure, in whole numbers, so that nothing is lost or won
 * to rounding however often it is looked at.
 *
 * A level is counted in parts of a token: one token is `windowMs` parts, so that `limit` parts flow in each millisecond. The
 * largest level, `limit` times `windowMs`, is well within what a double holds exactly: see the bounds in {@link Rate}.
 */

/** How much a bucket allows. */
export interface Rate {
  /** Tokens that flow in per window, and the most that the bucket holds. A whole number, 1 to 1,000,000. */
  readonly limit: number;
  /** A whole number of milliseconds, 1 to 345,600,000. */
  readonly windowMs: number;
}

/** The level of a full bucket. */
export function full({ limit, windowMs }: Rate): number {
  return limit * windowMs;
}

/**
 * The level `elapsedMs` (whole milliseconds) after it was `level`, at most `ceiling`. Time that went backwards brings nothing,
 * and takes nothing.
 */
export function refilled(rate: Rate, level: number, elapsedMs: number, ceiling: number = full(rate)): number {
  if (elapsedMs <= 0 || level >= ceiling) return level;
  // After a window it is full in any case; without the bound a long time would not be a whole number any more.
  return Math.min(ceiling, level + Math.min(elapsedMs, rate.windowMs) * rate.limit);
}

/** Whole tokens. */
export function tokensIn({ windowMs }: Rate, level: number): number {
  return Math.floor(level / windowMs);
}

/** Milliseconds until a level has risen to another, rounded up; 0 when it is that high. */
export function msUntil({ limit }: Rate, level: number, target: number): number {
  return level >= target ? 0 : Math.ceil((target - level) / limit);
}

/**
 * A quarter of the rate: a quarter of the tokens, rounded up to whole ones, in a window that is longer by as much as that
 * rounded. 1,200 a minute come to 300 a minute, and 5 a second to 2 in 1.6 seconds.
 */
export function quarterOf({ limit, windowMs }: Rate): Rate {
  const quarter = Math.ceil(limit / 4);
  return { limit: quarter, windowMs: Math.ceil((windowMs * 4 * quarter) / limit) };
}
