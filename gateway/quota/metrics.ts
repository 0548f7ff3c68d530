/** What is counted of quotas. */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { QuotaCounts } from './purse.ts';
import { bucketNames, type BucketName } from './rates.ts';

const rows = {
  charged: ['skein_quota_charged_total', 'Requests charged to a bucket'],
  refused: ['skein_quota_refused_total', 'Requests refused by a bucket, answered 429'],
  asks: ['skein_quota_asks_total', 'Asks to the owner of a bucket for tokens'],
  unanswered: [
    'skein_quota_asks_unanswered_total',
    'Asks without an answer: the node went by a bucket of its own',
  ],
} as const satisfies Record<keyof QuotaCounts, readonly [name: string, help: string]>;

/** The counts by bucket name, shown in the registry. */
export function quotaCounts(registry: Registry): Readonly<Record<BucketName, QuotaCounts>> {
  const counts = Object.fromEntries(
    bucketNames.map(name => [name, { charged: 0, refused: 0, asks: 0, unanswered: 0 }]),
  ) as Record<BucketName, QuotaCounts>;
  for (const [field, [name, help]] of Object.entries(rows) as [
    keyof QuotaCounts,
    readonly [string, string],
  ][]) {
    new Counter({
      ...{ name, help, labelNames: ['bucket'], registers: [registry] },
      collect(): void {
        this.reset();
        for (const bucket of bucketNames) this.inc({ bucket }, counts[bucket][field]);
      },
    });
  }
  return counts;
}

/** How many purses are in memory. */
export function showPurses(registry: Registry, size: () => number): void {
  new Gauge({
    ...{
      name: 'skein_quota_purses',
      help: 'Buckets of which this node holds something',
      registers: [registry],
    },
    collect(): void {
      this.set(size());
    },
  });
}
