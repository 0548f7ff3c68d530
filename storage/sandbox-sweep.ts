/**
 * Sandboxes forget: a thread there that nothing has happened on for 30 days goes, with all that hangs on it (decisions section 9).
 *
 * Its row goes last, and every step looks anew whether the thread still rests: one that wakes in between keeps what it has left,
 * and nothing is left of one that is gone. Whatever fails in between is taken up by the next round, on any node.
 */
import type { Database } from './database.ts';

type Queries = Pick<Database, 'query'>;

/** Threads of one turn, and rows of one statement. */
const threads = 100;
const piece = 5_000;
/** Turns of one round: what is left over waits for the next. */
const turns = 100;

/** In each sandbox by the index threads_by_activity. `$1`: who has rested since then. */
const selectResting = `
  select t.thread_id as "threadId" from environments e cross join lateral (
    select t.thread_id from threads t
    where t.project_id = e.project_id and t.environment_id = e.environment_id
      and t.active_second <= extract(epoch from $1::timestamptz) and t.last_message_at <= $1 and t.updated_at <= $1
    order by t.active_second limit ${threads}
  ) t
  where e.kind = 'sandbox' limit ${threads}`;

/** `$2`: those of them that still rest; the lock keeps them from waking until the statement is done. One that is waking is let be. */
const resting = `
  resting as materialized (
    select thread_id from threads where thread_id = any ($2::text[]) and updated_at <= $1 and last_message_at <= $1
    for update skip locked
  )`;

/** Media goes with its row, by the sweep of files. */
const dropFiles = `
  with ${resting}
  update attachments a set status = 'erased', erased_at = now() from resting
  where a.thread_id = resting.thread_id and a.status <> 'erased'`;

const dropFrom = (table: string): string => `
  with ${resting}, gone as (
    delete from ${table} where ctid = any (array(
      select c.ctid from ${table} c join resting on c.thread_id = resting.thread_id limit ${piece})) returning 1
  ) select count(*)::int as count from gone`;

const children = ['messages', 'thread_notes', 'read_cursors', 'agent_runs', 'erasures'];

/** A thread that was waking at one of the steps before has kept what that step takes: it is left for the next round. */
const childless = children
  .map(table => `not exists (select from ${table} c where c.thread_id = t.thread_id)`)
  .join(' and ');

const dropThreads = `
  with ${resting}, timers as (
    delete from reminders r using resting where r.kind = 'thread' and r.actor_id = resting.thread_id
  )
  delete from threads t using resting where t.thread_id = resting.thread_id and ${childless}`;

/** Removes sandbox threads that have rested since that instant. Rejects where the database fails. */
export async function forgetSandboxThreads(db: Queries, since: Date): Promise<void> {
  for (let turn = 0; turn < turns; turn++) {
    const found = await db.query<{ threadId: string }>(selectResting, [since]);
    if (found.length === 0) return;
    const values = [since, found.map(row => row.threadId)];
    await db.query(dropFiles, values);
    for (const table of children) {
      for (let left = true; left;) {
        const [row] = await db.query<{ count: number }>(dropFrom(table), values);
        left = row?.count === piece;
      }
    }
    await db.query(dropThreads, values);
    if (found.length < threads) return;
  }
}
