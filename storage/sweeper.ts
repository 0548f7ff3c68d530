/** Removes what has outlived its use, and makes the partitions that the coming days need. Any node may do it, at any time. */
import type { Log } from '../runtime/log.ts';
import type { Database } from './database.ts';
import { dropPartitions, ensurePartitions } from './partitions.ts';

/** Events, deliveries and attempts are kept this long (decisions, section 9). */
const eventsKeptDays = 30;

/** A lane whose process has been gone for this long will not ask for its mark any more. */
const markKeptDays = 7;

/** What has ended by itself is remembered this long, so that its late use is told from an unknown one (401, which of two). */
const endedKeptDays = 7;

/** Mail that was sent or given up is kept this long, for whoever asks what became of it. */
const mailKeptDays = 30;

// `$1`: now. Each deletes in pieces, so that no sweep holds many rows at once.
const deletions = [
  `delete from idempotency_keys where key_hash in (select key_hash from idempotency_keys where expires_at <= $1 limit 10000)`,
  `delete from parked_receipts where ctid in (select ctid from parked_receipts where expires_at <= $1 limit 10000)`,
  `delete from stream_tickets where ctid in (select ctid from stream_tickets where expires_at <= $1 limit 10000)`,
  `delete from sessions where ctid in (select ctid from sessions where expires_at <= $1::timestamptz - interval '${endedKeptDays} days' limit 10000)`,
  `delete from email_tokens where ctid in (select ctid from email_tokens where expires_at <= $1::timestamptz - interval '${endedKeptDays} days' limit 10000)`,
  `delete from mails where ctid in (select ctid from mails where created_at <= $1::timestamptz - interval '${mailKeptDays} days' and next_attempt_at is null limit 10000)`,
  `delete from lane_marks where updated_at <= $1::timestamptz - interval '${markKeptDays} days'`,
];

/** One sweep; `now` in epoch milliseconds. Safe to run on several nodes at once. */
export async function sweep(database: Database, now: number, log: Log): Promise<void> {
  await ensurePartitions(database, now, log);
  await dropPartitions(database, now, eventsKeptDays, log);
  for (const statement of deletions) await database.query(statement, [new Date(now)]);
}
