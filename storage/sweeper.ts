/**
 * What time brings: partitions for the coming days are made, usage is counted, graces of keys end, and what has outlived its use is
 * removed. Any node may do it, at any time.
 */
import type { Log } from '../runtime/log.ts';
import { endByokGraces } from './agents/byok-graces.ts';
import type { Database } from './database.ts';
import { dropPartitions, ensurePartitions, type PartitionedTable } from './partitions.ts';
import { erasePersonalData } from './erasures.ts';
import { forgetSandboxThreads } from './sandbox-sweep.ts';
import { endGraces } from './tenancy/key-graces.ts';
import { emptyTraces } from './trace-sweep.ts';
import { countUsage, hasUncounted } from './usage.ts';

/** Events, deliveries and attempts are kept this long (decisions, section 9). */
const eventsKeptDays = 30;

/** A lane that has not committed for this long makes its mark anew when it does. */
const markKeptDays = 7;

/** What has ended by itself is remembered this long, so that its late use is told from an unknown one (401, which of two). */
const endedKeptDays = 7;

/** Mail that was sent or given up is kept this long, for whoever asks what became of it. */
const mailKeptDays = 30;

/** Commands, which last as long as the events they are, and work that failed for good, in days. */
const doneKeptDays = 30;

/** Decisions, section 9. */
const auditKeptDays = 400;

/** Keys that were revoked or have expired are listed this long. */
const keysKeptDays = 90;

/** Invitations are listed this long after they were accepted, were revoked or expired. */
const invitationsKeptDays = 30;

/** Rows that one statement removes at the most: no sweep holds many at once. */
const piece = 10_000;
/** And one sweep of one table: what is left over waits for the next. */
const pieces = 100;

/** Table and what of it has outlived its use; `$1`: now. */
const outlived: Readonly<Record<string, string>> = {
  idempotency_keys: 'expires_at <= $1',
  parked_receipts: 'expires_at <= $1',
  stream_tickets: 'expires_at <= $1',
  sessions: `expires_at <= $1::timestamptz - interval '${endedKeptDays} days'`,
  email_tokens: `expires_at <= $1::timestamptz - interval '${endedKeptDays} days'`,
  mails: `created_at <= $1::timestamptz - interval '${mailKeptDays} days' and next_attempt_at is null`,
  channel_commands: `occurred_at <= $1::timestamptz - interval '${doneKeptDays} days'`,
  dead_letters: `created_at <= $1::timestamptz - interval '${doneKeptDays} days'`,
  api_keys: `least(revoked_at, expires_at) <= $1::timestamptz - interval '${keysKeptDays} days'`,
  invitations: `least(accepted_at, revoked_at, expires_at) <= $1::timestamptz - interval '${invitationsKeptDays} days'`,
  audit_logs: `created_at <= $1::timestamptz - interval '${auditKeptDays} days'`,
  lane_marks: `updated_at <= $1::timestamptz - interval '${markKeptDays} days'`,
};

/** Some jobs of a sweep have failed. */
export class SweepFailed extends AggregateError {
  readonly jobs: readonly string[];

  constructor(failures: ReadonlyMap<string, unknown>) {
    super([...failures.values()], `jobs of the sweep have failed: ${[...failures.keys()].join(', ')}`);
    this.jobs = [...failures.keys()];
  }
}

function jobsOf(database: Database, now: number, log: Log): Readonly<Record<string, () => Promise<unknown>>> {
  const drop = (table: PartitionedTable) => ({ table, now, keepDays: eventsKeptDays, log });
  return {
    makePartitions: () => ensurePartitions(database, now, log),
    countUsage: () => countUsage(database),
    // What has been counted outlives its events. What has not holds back the partitions that it is in, and no other.
    dropEvents: () =>
      dropPartitions(database, {
        ...drop('events'),
        isNeeded: (from, to) => hasUncounted(database, from, to),
      }),
    dropDeliveries: () => dropPartitions(database, drop('webhook_deliveries')),
    dropAttempts: () => dropPartitions(database, drop('webhook_attempts')),
    endGraces: () => endGraces(database, now),
    endByokGraces: () => endByokGraces(database, now),
    erasePersonalData: () => erasePersonalData(database, now, log),
    forgetSandboxThreads: () => forgetSandboxThreads(database, now),
    emptyTraces: () => emptyTraces(database, now),
    ...Object.fromEntries(
      Object.entries(outlived).map(([table, condition]) => [
        `remove ${table}`,
        () => remove(database, table, condition, now),
      ]),
    ),
  };
}

/**
 * One sweep; `now` in epoch milliseconds. Safe to run on several nodes at once. Each job is bounded, and one that fails keeps no
 * other from its work: when all have had their turn, rejects with {@link SweepFailed}.
 */
export async function sweep(database: Database, now: number, log: Log): Promise<void> {
  const failures = new Map<string, unknown>();
  for (const [job, work] of Object.entries(jobsOf(database, now, log))) {
    try {
      await work();
    } catch (err) {
      log.warn({ err, job }, 'a job of the sweep failed; it is repeated');
      failures.set(job, err);
    }
  }
  if (failures.size > 0) throw new SweepFailed(failures);
}

async function remove(database: Database, table: string, condition: string, now: number): Promise<void> {
  const text = `
    with gone as (
      delete from ${table} where ctid = any (array(select ctid from ${table} where ${condition} limit ${piece})) returning 1
    ) select count(*)::int as count from gone`;
  for (let done = 0; done < pieces; done++) {
    const [row] = await database.query<{ count: number }>(text, [new Date(now)]);
    if (row?.count !== piece) return;
  }
}
