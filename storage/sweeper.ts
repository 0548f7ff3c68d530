/**
 * What time brings: partitions for the coming days are made, usage is counted, graces of keys end, and what has outlived its use is
 * removed. Any node may do it, at any time.
 */
import type { Log } from '../runtime/log.ts';
import type { Database } from './database.ts';
import { dropPartitions, ensurePartitions } from './partitions.ts';
import { erasePersonalData } from './erasures.ts';
import { forgetSandboxThreads } from './sandbox-sweep.ts';
import { endGraces } from './tenancy/key-graces.ts';
import { countUsage } from './usage.ts';

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
const sandboxKeptDays = 30;
const dayMs = 86_400_000;

/** Keys that were revoked or have expired are listed this long. */
const keysKeptDays = 90;

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
  audit_logs: `created_at <= $1::timestamptz - interval '${auditKeptDays} days'`,
  lane_marks: `updated_at <= $1::timestamptz - interval '${markKeptDays} days'`,
};

/**
 * One sweep; `now` in epoch milliseconds. Safe to run on several nodes at once. A job that fails keeps no other from its work: its
 * error is thrown when all have had their turn.
 */
export async function sweep(database: Database, now: number, log: Log): Promise<void> {
  const jobs = [
    () => ensurePartitions(database, now, log),
    // What has been counted outlives its events, so this comes before they go.
    () => countUsage(database).then(() => dropPartitions(database, now, eventsKeptDays, log)),
    () => endGraces(database, now),
    () => erasePersonalData(database, now, log),
    () => forgetSandboxThreads(database, new Date(now - sandboxKeptDays * dayMs)),
    ...Object.entries(outlived).map(
      ([table, condition]) =>
        () =>
          remove(database, table, condition, now),
    ),
  ];
  const errors: unknown[] = [];
  for (const job of jobs) await job().catch((error: unknown) => errors.push(error));
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} of ${jobs.length} jobs failed`);
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
