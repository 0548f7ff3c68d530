/** What time brings is done now and then, by one node of a cluster for all. */
import { Counter } from 'prom-client';
import type { Log } from '../runtime/log.ts';
import type { Metrics } from '../runtime/metrics.ts';
import type { Node } from '../runtime/node.ts';
import { systemClock } from '../runtime/system-clock.ts';
import type { Database } from '../storage/database.ts';
import { sweepMedia } from '../storage/media-sweep.ts';
import type { Media } from '../storage/media.ts';
import { sweep, SweepFailed } from '../storage/sweeper.ts';
import { LostAssignees } from './lost-assignees.ts';

const everyMs = 60_000;

export interface Household {
  readonly database: Database;
  readonly media: Media;
  readonly node: Pick<Node, 'ask'>;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'registry'>;
}

/** The returned function ends it, and waits for the sweep that is under way. */
export function sweepNowAndThen(
  { database, media, node, log, metrics }: Household,
  keepsHouse: () => boolean,
): () => Promise<void> {
  const failed = new Counter({
    name: 'skein_sweep_failures_total',
    help: 'Jobs of the sweep that failed, and are repeated, by job',
    labelNames: ['job'],
    registers: [metrics.registry],
  });
  const assignees = new LostAssignees({ database, node });
  async function attempt(job: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (err) {
      log.warn({ err, job }, 'a job of the sweep failed; it is repeated');
      failed.inc({ job });
    }
  }
  async function sweepAll(): Promise<void> {
    try {
      await sweep(database, systemClock.now(), log);
    } catch (err) {
      for (const job of err instanceof SweepFailed ? err.jobs : ['unknown']) failed.inc({ job });
    }
    // What is erased in the database has to go from the disk, whatever other job has failed.
    await attempt('media', () => sweepMedia(database, media, systemClock.now(), log));
    await attempt('lostAssignees', () => assignees.sweep());
  }
  let sweeping: Promise<void> | undefined;
  const timer = setInterval(() => {
    if (sweeping !== undefined || !keepsHouse()) return;
    sweeping = sweepAll().finally(() => (sweeping = undefined));
  }, everyMs);
  return () => {
    clearInterval(timer);
    return sweeping ?? Promise.resolve();
  };
}
