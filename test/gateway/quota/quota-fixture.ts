/** Quotas of nodes that share buckets, on virtual time, and requests to charge to them. */
import type { Test } from 'tap';
import { createQuotaKinds } from '../../../actors/quota/kind.ts';
import { createRateLimiter } from '../../../gateway/quota/rate-limiter.ts';
import { defaultRates, longestWindowMs, type BucketName, type Rates } from '../../../gateway/quota/rates.ts';
import type { Call } from '../../../gateway/pipeline/handler.ts';
import type { Quota, RateLimiter } from '../../../gateway/pipeline/rate-limiter.ts';
import type { RateClass } from '../../../protocol/operation.ts';
import { LocalBus } from '../../../runtime/transport/local.ts';
import { ManualPlacement } from '../../runtime/manual-placement.ts';
import { startNode, type TestNode } from '../../runtime/node-fixture.ts';
import { seeded } from '../../support/seeded.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

export interface QuotaNode extends TestNode {
  readonly placement: ManualPlacement;
  readonly quotas: RateLimiter;
  /** Charges a request as the pipeline does: gives the quota that refuses it, or has least left. */
  take(rate: RateClass, call: Partial<Call>): Promise<Quota>;
  /** Whether it was charged without waiting. */
  takesAtOnce(rate: RateClass, call: Partial<Call>): boolean;
  /** What the registry shows. */
  shown(metric: string, bucket: BucketName): Promise<number>;
}

/** Nodes with one shard, which the first of them owns. `known`: where accounts have been signed in from, by their e-mail address. */
export async function quotaNodes(
  t: Pick<Test, 'teardown'>,
  count: number,
  rates: Partial<Rates> = {},
  known: Readonly<Record<string, readonly string[]>> = {},
): Promise<QuotaNode[]> {
  const clock = new VirtualClock();
  const bus = new LocalBus();
  const all = { ...defaultRates, ...rates };
  const nodes: QuotaNode[] = [];
  for (let i = 0; i < count; i++) {
    const placement = new ManualPlacement(i === 0 ? [0] : []);
    const kinds = createQuotaKinds(longestWindowMs(all));
    const testNode = await startNode({ clock, bus, shards: 1, kinds, placement });
    const { node, metrics } = testNode;
    // Nothing is hashed but by its own name, so that a test can see what stands in a bucket's name.
    const hash = { digest: (purpose: string, secret: string) => Buffer.from(`${purpose} ${secret}`) };
    const addresses = { find: async (email: string) => known[email] ?? [] };
    const random = seeded(i);
    const quotas = createRateLimiter({ rates: all, node, hash, known: addresses, clock, random, metrics });
    const charge = (rate: RateClass, part: Partial<Call>): Quota | Promise<Quota> => {
      const call = { address: '', ...part } as Call;
      const entered = quotas.chargeCaller(rate, call);
      if (entered instanceof Promise) return entered.then(taken => further(taken, rate, call));
      return further(entered, rate, call);
    };
    const further = (entered: Quota, rate: RateClass, call: Call): Quota | Promise<Quota> => {
      const about = entered.allowed ? quotas.chargeSubject(rate, call) : undefined;
      const less = (other: Quota | undefined): Quota =>
        other !== undefined && (!other.allowed || other.remaining < entered.remaining) ? other : entered;
      return about instanceof Promise ? about.then(less) : less(about);
    };
    nodes.push({
      ...testNode,
      placement,
      quotas,
      take: (rate, call) => Promise.resolve(charge(rate, call)),
      takesAtOnce: (rate, call) => !(charge(rate, call) instanceof Promise),
      shown: async (metric, bucket) => {
        const { values } = (await metrics.registry.getSingleMetric(metric)?.get()) ?? { values: [] };
        return values.find(({ labels }) => labels['bucket'] === bucket)?.value ?? 0;
      },
    });
  }
  t.teardown(() => clock.until(Promise.all(nodes.map(({ node }) => node.drain()))));
  return nodes;
}
