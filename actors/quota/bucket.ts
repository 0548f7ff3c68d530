/**
 * A token bucket (https://en.wikipedia.org/wiki/Token_bucket) as pure functions, in whole numbers: rounding loses nothing and adds
 * nothing, however often the level is computed.
 *
 * A level is counted in parts of a token: one token is `windowMs` parts, so that `limit` parts flow in each millisecond. With the
 * bounds in {@link Rate}, a double holds the largest level, `limit` times `windowMs`, exactly.
 */

/** How much a bucket allows. */
export interface Rate {
  /** Tokens that flow in per window, and the most that the bucket holds. A whole number, 1 to 1,000,000. */
  readonly limit: number;
  /** A whole number of milliseconds, 1 to 345,600,000. */
  readonly windowMs: number;
}

/** The level of a full bucket. */
export function fullLevel({ limit, windowMs }: Rate): number {
  return limit * windowMs;
}

/**
 * The level `elapsedMs` (whole milliseconds) after it was `level`, at most `ceiling`. A clock that went back neither adds nor takes
 * anything.
 */
export function refill(
  rate: Rate,
  level: number,
  elapsedMs: number,
  ceiling: number = fullLevel(rate),
): number {
  if (elapsedMs <= 0 || level >= ceiling) return level;
  // After a window the bucket is full in any case. Without the bound, a long time would exceed the whole numbers of a double.
  return Math.min(ceiling, level + Math.min(elapsedMs, rate.windowMs) * rate.limit);
}

/** The whole tokens of a level. */
export function toWholeTokens({ windowMs }: Rate, level: number): number {
  return Math.floor(level / windowMs);
}

/** Milliseconds until a level has risen to the target, rounded up; 0 if it is that high already. */
export function msUntil({ limit }: Rate, level: number, target: number): number {
  return level >= target ? 0 : Math.ceil((target - level) / limit);
}

/**
 * A quarter of the rate: a quarter of the tokens, rounded up to whole ones, in a window that is longer by as much as the rounding
 * added. 1,200 a minute become 300 a minute, and 5 a second become 2 in 1.6 seconds.
 */
export function quarterRate({ limit, windowMs }: Rate): Rate {
  const quarter = Math.ceil(limit / 4);
  return { limit: quarter, windowMs: Math.ceil((windowMs * 4 * quarter) / limit) };
}
