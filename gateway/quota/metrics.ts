/** The counts of rate limits. */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { QuotaCounts } from './bucket-lease.ts';
import { bucketNames, type BucketName } from './rates.ts';

const counters = {
  charged: { name: 'skein_quota_charged_total', help: 'Requests charged to a bucket' },
  refused: { name: 'skein_quota_refused_total', help: 'Requests refused by a bucket, answered 429' },
  asks: { name: 'skein_quota_asks_total', help: 'Asks to the owner of a bucket for tokens' },
  unanswered: {
    name: 'skein_quota_asks_unanswered_total',
    help: 'Asks without an answer: the node went by a bucket of its own',
  },
} as const satisfies Record<keyof QuotaCounts, { readonly name: string; readonly help: string }>;

type Counts = Readonly<Record<BucketName, QuotaCounts>>;

const shown = new WeakMap<Registry, Counts>();

/** Returns the counts by bucket name, which the registry shows. */
export function quotaCounts(registry: Registry): Counts {
  let counts = shown.get(registry);
  if (counts === undefined) shown.set(registry, (counts = showCounts(registry)));
  return counts;
}

function showCounts(registry: Registry): Counts {
  const counts = Object.fromEntries(
    bucketNames.map(name => [name, { charged: 0, refused: 0, asks: 0, unanswered: 0 }]),
  ) as Record<BucketName, QuotaCounts>;
  for (const field of Object.keys(counters) as (keyof QuotaCounts)[]) {
    new Counter({
      ...counters[field],
      labelNames: ['bucket'],
      registers: [registry],
      collect(): void {
        this.reset();
        for (const bucket of bucketNames) this.inc({ bucket }, counts[bucket][field]);
      },
    });
  }
  return counts;
}

/** How many leases are in memory. */
export function showLeases(registry: Registry, size: () => number): void {
  new Gauge({
    name: 'skein_quota_purses',
    help: 'Buckets of which this node holds something',
    registers: [registry],
    collect(): void {
      this.set(size());
    },
  });
}
