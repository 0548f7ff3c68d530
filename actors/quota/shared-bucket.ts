/**
 * A bucket that several nodes draw from: its level, and the tokens that are leased to nodes, which may not have spent them yet.
 *
 * Invariant: level and leased tokens together are never more than the full bucket. So whatever the nodes spend in any span of time,
 * saved up or fresh, is at most a full bucket and what flowed in meanwhile. To keep it, nothing flows in above the full bucket less
 * what is leased.
 *
 * A lease:
 *
 *   held -> returned   its node asks again and says how much it has not spent: that much goes back into the bucket
 *   held -> expired    its node has not asked for `leaseMs`. It stopped spending long before (`spendMs`), and what it had left is
 *                      lost: at most what flows in during `spendMs`
 */
import { fullLevel, refill, toWholeTokens, type Rate } from './bucket.ts';

/** For how long a node may spend what it was granted, in milliseconds from when it asked. */
export const spendMs = 1_000;
/** For how long the bucket keeps a lease, in milliseconds from when it was granted: certainly longer than the node spends it. */
export const leaseMs = 2 * spendMs;

interface Lease {
  readonly holder: string;
  readonly tokens: number;
  /** Epoch milliseconds. */
  readonly until: number;
}

export interface SharedBucket {
  readonly level: number;
  /** The instant of `level`, in epoch milliseconds. */
  readonly at: number;
  /** At most one for each holder, in the order in which they expire. */
  readonly leases: readonly Lease[];
}

/** What a node asks for. */
export interface TokenRequest {
  readonly holder: string;
  /** Requests that wait for a token, at least 1. */
  readonly tokens: number;
  /** What is left of the node's last grant, and will not be spent. */
  readonly unspent: number;
}

/**
 * The bucket at a later instant. If the clock went back, everything in the bucket moves with it: no lease outlives its term, and
 * nothing flows in twice.
 */
export function advance(rate: Rate, bucket: SharedBucket, now: number): SharedBucket {
  if (now < bucket.at) {
    const back = bucket.at - now;
    const leases = bucket.leases.map(lease => ({ ...lease, until: lease.until - back }));
    return { level: bucket.level, at: now, leases };
  }
  let { level, at } = bucket;
  const { leases } = bucket;
  let leased = sumLeased(leases);
  let expired = 0;
  for (const { until, tokens } of leases) {
    if (until > now) break;
    level = refill(rate, level, until - at, fullLevel(rate) - leased * rate.windowMs);
    at = until;
    leased -= tokens;
    expired++;
  }
  level = refill(rate, level, now - at, fullLevel(rate) - leased * rate.windowMs);
  return { level, at: now, leases: expired === 0 ? leases : leases.slice(expired) };
}

/**
 * Takes back what the holder had and grants what it wants, as far as there is. So that it need not ask for each request, it gets some
 * more: what flows in while it may spend it, but at most a quarter of what is left then. So a busy node gets the whole bucket, and an
 * idle one costs the others next to nothing. Nothing is granted when the bucket has no whole token.
 */
export function grant(
  rate: Rate,
  before: SharedBucket,
  { holder, tokens: wanted, unspent }: TokenRequest,
  now: number,
): { readonly bucket: SharedBucket; readonly tokens: number } {
  const { level: levelNow, leases } = advance(rate, before, now);
  const previous = leases.find(lease => lease.holder === holder);
  const others = previous === undefined ? leases : leases.filter(lease => lease !== previous);
  const returned = previous === undefined ? 0 : Math.min(unspent, previous.tokens);
  const level = levelNow + returned * rate.windowMs;

  const available = toWholeTokens(rate, level);
  const needed = Math.min(wanted, available);
  const inflow = Math.floor((spendMs * rate.limit) / rate.windowMs);
  const tokens = needed + Math.min(Math.floor((available - needed) / 4), inflow);
  return {
    tokens,
    bucket: {
      level: level - tokens * rate.windowMs,
      at: now,
      leases: tokens === 0 ? others : [...others, { holder, tokens, until: now + leaseMs }],
    },
  };
}

function sumLeased(leases: readonly Lease[]): number {
  let leased = 0;
  for (const { tokens } of leases) leased += tokens;
  return leased;
}
