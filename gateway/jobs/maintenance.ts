/** Periodic maintenance, by one node of a cluster for all: retention, removed files, and assignees who have lost access. */
import { Counter } from 'prom-client';
import type { Node } from '../../runtime/node/index.ts';
import type { Log, Metrics } from '../../runtime/observability/index.ts';
import type { Database, DatabaseClock } from '../../storage/database/index.ts';
import { type Media, MediaSweeper } from '../../storage/media/index.ts';
import { sweep, SweepFailed } from '../../storage/retention/index.ts';
import type { DomainProofs } from '../sso/index.ts';
import { ClusterGauges } from './cluster-gauges.ts';
import { checkDomains } from './domain-checks.ts';
import { FormerAssignees } from './former-assignees.ts';

const sweepIntervalMs = 60_000;

export interface MaintenanceOptions {
  readonly database: Database;
  readonly clock: Pick<DatabaseClock, 'ask' | 'isWrong'>;
  readonly media: Pick<Media, 'remove'>;
  readonly node: Pick<Node, 'ask'>;
  /** Looks for the proofs of single sign-on's domains. */
  readonly proofs: Pick<DomainProofs, 'find'>;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'registry'>;
  /** Milliseconds between two sweeps. Default 60,000. */
  readonly everyMs?: number;
}

/**
 * @param isLeader whether this node is the one that does the maintenance at the moment
 * @returns stops the maintenance; resolves when a running sweep has ended, which finishes its job and begins no other
 */
export function startMaintenance(options: MaintenanceOptions, isLeader: () => boolean): () => Promise<void> {
  const closing = new AbortController();
  const sweepAll = createSweep(options, isLeader, closing.signal);
  let sweeping: Promise<void> | undefined;
  const timer = setInterval(() => {
    if (sweeping !== undefined || !isLeader()) return;
    sweeping = sweepAll().finally(() => (sweeping = undefined));
  }, options.everyMs ?? sweepIntervalMs);
  return () => {
    clearInterval(timer);
    closing.abort();
    return sweeping ?? Promise.resolve();
  };
}

/**
 * A sweep runs every job, whichever of the others has failed, and never rejects. What is over is decided by the database's time, asked
 * anew. Where this machine's differs from it, one of the two is wrong, nobody knows which, and nothing is removed.
 */
function createSweep(
  options: MaintenanceOptions,
  isLeader: () => boolean,
  closing: AbortSignal,
): () => Promise<void> {
  const { database, clock, media, node, proofs, log, metrics } = options;
  const failures = new Counter({
    name: 'skein_sweep_failures_total',
    help: 'Jobs of the sweep that failed and are retried, by job',
    labelNames: ['job'],
    registers: [metrics.registry],
  });
  const files = new MediaSweeper({ database, media });
  const assignees = new FormerAssignees({ database, node });
  const gauges = new ClusterGauges(database, metrics, isLeader);

  const isWanted = (): boolean => isLeader() && !closing.aborted;

  async function attempt(job: string, work: () => Promise<void>): Promise<void> {
    if (!isWanted()) return;
    try {
      await work();
    } catch (err) {
      log.warn({ err, job }, 'a maintenance job failed; will retry');
      failures.inc({ job });
    }
  }

  async function sweepAt(now: number): Promise<void> {
    try {
      await sweep(database, now, log, isWanted);
    } catch (err) {
      for (const job of err instanceof SweepFailed ? err.jobs : ['unknown']) failures.inc({ job });
    }
    await attempt('media', () => files.sweep(now, closing, isWanted));
    await attempt('lostAssignees', () => assignees.sweep());
    await attempt('domains', () => checkDomains({ database, proofs }, now, isWanted));
    await attempt('gauges', () => gauges.measure(now));
  }

  return () =>
    attempt('askTime', async () => {
      const now = await clock.ask();
      if (clock.isWrong) log.warn({}, "maintenance waits: this machine's clock is not the database's");
      else await sweepAt(now);
    });
}
