/** The rate limits of a node: made from its configuration, held for the whole cluster by actors (actors/quota/). */
import { quotaRef, type Grant } from '../../actors/quota/kind.ts';
import type { Clock, Random } from '../../runtime/clock.ts';
import type { Metrics } from '../../runtime/metrics.ts';
import type { Node } from '../../runtime/node.ts';
import type { KeyHash } from '../../storage/keyhash.ts';
import type { Quotas } from '../rest/quota.ts';
import { chargesOf } from './charges.ts';
import { quotaCounts, showPurses } from './metrics.ts';
import { Purses } from './purses.ts';
import type { Rates } from './rates.ts';

/** How long a request waits for a bucket's owner, in milliseconds, before the node goes by a bucket of its own. */
const askMs = 250;

export interface QuotaOptions {
  readonly rates: Rates;
  readonly node: Pick<Node, 'ask'>;
  readonly hash: Pick<KeyHash, 'of'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: Pick<Metrics, 'registry'>;
}

export function quotasOf({ rates, node, hash, clock, random, metrics }: QuotaOptions): Quotas {
  const purses = new Purses({
    holder: Buffer.from(random.bytes(9)).toString('base64url'),
    now: () => Math.floor(clock.monotonic()),
    ask: (bucket, take) => node.ask<Grant>(quotaRef(bucket, take), 'take', take, { deadlineMs: askMs }),
  });
  showPurses(metrics.registry, () => purses.size);
  return chargesOf({ rates, purses, hash, counts: quotaCounts(metrics.registry) });
}
