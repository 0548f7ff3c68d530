/**
 * The books of one bucket: its level, and the tokens that nodes hold and may not have spent yet.
 *
 * The law: level and held tokens together are never more than the full bucket. So in any span of time, whatever the nodes
 * spend, saved up or fresh, is at most a full bucket and what flowed in meanwhile. For that, nothing flows in above the full
 * bucket less what is held.
 *
 * A holding:
 *
 *   held -> settled   its node asks again, and says how much of it was not spent: that much goes back into the bucket
 *   held -> lapsed    its node did not ask for `holdMs`. It stopped spending long before (`spendMs`), and what it had left is
 *                     gone: at most what flows in during `spendMs`
 */
import { full, refilled, tokensIn, type Rate } from './bucket.ts';

/** For how long a node may spend what it was granted, in milliseconds from when it asked. */
export const spendMs = 1_000;
/** For how long the bucket keeps account of a grant, in milliseconds from when it was made: surely longer. */
export const holdMs = 2 * spendMs;

interface Holding {
  readonly holder: string;
  readonly tokens: number;
  /** Epoch milliseconds. */
  readonly until: number;
}

export interface Ledger {
  readonly level: number;
  /** The instant of `level`, in epoch milliseconds. */
  readonly at: number;
  /** At most one for each holder, in the order in which they lapse. */
  readonly holdings: readonly Holding[];
}

/** What a node asks for. */
export interface Want {
  readonly holder: string;
  /** Requests that wait, at least 1. */
  readonly tokens: number;
  /** What it has left of its last grant, and will not spend. */
  readonly unspent: number;
}

/**
 * The books at an instant. When time went backwards, everything in them moves with it: no holding outlives its term, and
 * nothing flows in twice.
 */
export function advanced(rate: Rate, ledger: Ledger, now: number): Ledger {
  if (now < ledger.at) {
    const back = ledger.at - now;
    const holdings = ledger.holdings.map(each => ({ ...each, until: each.until - back }));
    return { level: ledger.level, at: now, holdings };
  }
  let { level, at } = ledger;
  const { holdings } = ledger;
  let held = heldIn(holdings);
  let lapsed = 0;
  for (const { until, tokens } of holdings) {
    if (until > now) break;
    level = refilled(rate, level, until - at, full(rate) - held * rate.windowMs);
    at = until;
    held -= tokens;
    lapsed++;
  }
  level = refilled(rate, level, now - at, full(rate) - held * rate.windowMs);
  return { level, at: now, holdings: lapsed === 0 ? holdings : holdings.slice(lapsed) };
}

/**
 * Settles what the holder had and grants it what it wants, as far as there is; and, so that it need not ask for each request,
 * as much more as flows in while it may spend it, at most a quarter of what is left then. A busy node gets the whole bucket, and
 * an idle one costs the others next to nothing. None is granted when the bucket has no whole token.
 */
export function granted(
  rate: Rate,
  before: Ledger,
  { holder, tokens: wanted, unspent }: Want,
  now: number,
): { readonly ledger: Ledger; readonly tokens: number } {
  const { level: levelNow, holdings } = advanced(rate, before, now);
  const settled = holdings.find(each => each.holder === holder);
  const others = settled === undefined ? holdings : holdings.filter(each => each !== settled);
  const returned = settled === undefined ? 0 : Math.min(unspent, settled.tokens);
  const level = levelNow + returned * rate.windowMs;

  const available = tokensIn(rate, level);
  const needed = Math.min(wanted, available);
  const inflow = Math.floor((spendMs * rate.limit) / rate.windowMs);
  const tokens = needed + Math.min(Math.floor((available - needed) / 4), inflow);
  return {
    tokens,
    ledger: {
      level: level - tokens * rate.windowMs,
      at: now,
      holdings: tokens === 0 ? others : [...others, { holder, tokens, until: now + holdMs }],
    },
  };
}

function heldIn(holdings: readonly Holding[]): number {
  let held = 0;
  for (const { tokens } of holdings) held += tokens;
  return held;
}
