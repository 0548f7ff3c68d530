/** Periodic maintenance, by one node of a cluster for all: retention, removed files, and assignees who have lost access. */
import { Counter } from 'prom-client';
import type { Node } from '../../runtime/node/index.ts';
import type { Log, Metrics } from '../../runtime/observability/index.ts';
import { systemClock } from '../../runtime/time/index.ts';
import type { Database } from '../../storage/database/index.ts';
import { type Media, sweepMedia } from '../../storage/media/index.ts';
import { sweep, SweepFailed } from '../../storage/retention/index.ts';
import { FormerAssignees } from './former-assignees.ts';

const sweepIntervalMs = 60_000;

export interface MaintenanceOptions {
  readonly database: Database;
  readonly media: Media;
  readonly node: Pick<Node, 'ask'>;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'registry'>;
}

/**
 * @param isLeader whether this node is the one that does the maintenance at the moment
 * @returns stops the maintenance; resolves when a running sweep has ended
 */
export function startMaintenance(options: MaintenanceOptions, isLeader: () => boolean): () => Promise<void> {
  const sweepAll = createSweep(options);
  let sweeping: Promise<void> | undefined;
  const timer = setInterval(() => {
    if (sweeping !== undefined || !isLeader()) return;
    sweeping = sweepAll().finally(() => (sweeping = undefined));
  }, sweepIntervalMs);
  return () => {
    clearInterval(timer);
    return sweeping ?? Promise.resolve();
  };
}

/** A sweep runs every job, whichever of the others has failed, and never rejects. */
function createSweep({ database, media, node, log, metrics }: MaintenanceOptions): () => Promise<void> {
  const failures = new Counter({
    name: 'skein_sweep_failures_total',
    help: 'Jobs of the sweep that failed and are retried, by job',
    labelNames: ['job'],
    registers: [metrics.registry],
  });
  const assignees = new FormerAssignees({ database, node });

  async function attempt(job: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (err) {
      log.warn({ err, job }, 'a maintenance job failed; will retry');
      failures.inc({ job });
    }
  }

  return async () => {
    try {
      await sweep(database, systemClock.now(), log);
    } catch (err) {
      for (const job of err instanceof SweepFailed ? err.jobs : ['unknown']) failures.inc({ job });
    }
    await attempt('media', () => sweepMedia(database, media, systemClock.now(), log));
    await attempt('lostAssignees', () => assignees.sweep());
  };
}
