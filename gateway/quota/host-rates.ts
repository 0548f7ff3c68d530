/** The rates of webhooks to public hosts (actors/stitch), by the same buckets of the cluster as the rates of requests. */
import { LRUCache } from 'lru-cache';
import type { HostRates } from '../../actors/stitch/index.ts';
import { BucketClient, BucketLease } from './bucket-lease.ts';
import { quotaCounts } from './metrics.ts';
import { createPolicies, type RateLimiterOptions } from './rate-limiter.ts';
import type { Quota } from '../pipeline/index.ts';

/** Leases in memory. A host whose lease was dropped is asked for anew. */
const maxLeases = 10_000;

export function createHostRates({
  rates,
  node,
  clock,
  random,
  metrics,
  findAccount,
}: Omit<RateLimiterOptions, 'hash' | 'known'> & Pick<HostRates, 'findAccount'>): HostRates {
  const client = new BucketClient(node, clock, random);
  const policies = createPolicies(rates, quotaCounts(metrics.registry));
  const leases = new LRUCache<string, BucketLease>({ max: maxLeases });
  return {
    findAccount,
    take(name, account, host) {
      const policy = policies[name];
      const bucket = `${policy.prefix}${account}/${host}`;
      let lease = leases.get(bucket);
      if (lease === undefined) leases.set(bucket, (lease = new BucketLease(bucket, policy, client)));
      const quota = lease.take();
      return quota instanceof Promise ? quota.then(toWaitMs) : toWaitMs(quota);
    },
  };
}

function toWaitMs({ allowed, retryAfterSeconds = 1 }: Quota): number {
  return allowed ? 0 : Math.max(1, Math.ceil(retryAfterSeconds * 1_000));
}
