/** Reminders and dead letters as rows. */
import type { DeadLetter, DueReminder } from '../../runtime/actor/index.ts';
import { statement } from '../statements/index.ts';

export const deleteReminders = statement(
  'reminder.delete',
  70,
  { kind: 'text', actor_id: 'text', key: 'text', at: 'bigint' },
  input => `
    delete from reminders r using ${input}
    where r.kind = input.kind and r.actor_id = input.actor_id and r.key = input.key and (input.at is null or r.due_at = input.at)`,
);

export const upsertReminders = statement(
  'reminder.upsert',
  71,
  {
    kind: 'text',
    actor_id: 'text',
    key: 'text',
    shard: 'int',
    due_at: 'bigint',
    command: 'text',
    payload: 'json',
    attempts: 'int',
  },
  input => `
    insert into reminders (kind, actor_id, key, shard, due_at, command, payload, attempts) select * from ${input}
    on conflict (kind, actor_id, key) do update set shard = excluded.shard, due_at = excluded.due_at, command = excluded.command,
      payload = excluded.payload, attempts = excluded.attempts, last_error = null`,
);

/** `$1` now, `$2` shards or null, `$3` limit. */
export const selectDue = `
  select kind, actor_id, key, due_at, command, payload::jsonb, attempts from reminders
  where due_at <= $1 and ($2::int[] is null or shard = any ($2::int[])) order by due_at limit $3`;

/** `$1` now, `$2` shards or null. */
export const selectNextDue = `
  select min(due_at) as next from reminders where due_at > $1 and ($2::int[] is null or shard = any ($2::int[]))`;

// Both name the instant: a reminder that was set again meanwhile is another one, and stays.
export const postponeReminder = `
  update reminders set due_at = $5, attempts = attempts + 1, last_error = $6
  where kind = $1 and actor_id = $2 and key = $3 and due_at = $4`;

/** Moves a reminder to the dead letters; without one (a task failed) `$7` and `$8` are null, and only the letter is kept. */
export const insertDeadLetter = `
  with deleted as (
    delete from reminders where kind = $1 and actor_id = $2 and key = $7 and due_at = $8
  )
  insert into dead_letters (kind, actor_id, name, payload, error, attempts, created_at) values ($1, $2, $3, $4, $5, $6, now())`;

/** A row of `reminders`; `due_at` in epoch milliseconds. */
export interface ReminderRow {
  readonly kind: string;
  readonly actor_id: string;
  readonly key: string;
  readonly due_at: number;
  readonly command: string;
  readonly payload: unknown;
  readonly attempts: number;
}

/** The reminder of a row. */
export function toReminder(row: ReminderRow): DueReminder {
  return {
    to: { kind: row.kind, id: row.actor_id },
    key: row.key,
    at: Number(row.due_at),
    command: row.command,
    payload: row.payload,
    attempts: row.attempts,
  };
}

/** The parameters of {@link insertDeadLetter}. */
export function toDeadLetterParameters(letter: DeadLetter, reminder: DueReminder | undefined): unknown[] {
  return [
    letter.actor.kind,
    letter.actor.id,
    letter.name,
    JSON.stringify(letter.payload ?? null),
    letter.error.slice(0, 4_000),
    letter.attempts,
    reminder?.key ?? null,
    reminder?.at ?? null,
  ];
}
