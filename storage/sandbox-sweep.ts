/**
 * Sandboxes forget: a thread there that nothing has happened on for 30 days goes, with all that hangs on it (decisions section 9).
 *
 * Its row goes last, and every step looks anew whether the thread still rests: one that wakes in between keeps what it has left,
 * and nothing is left of one that is gone. Whatever fails in between is taken up by the next round, on any node.
 */
import type { Database } from './database.ts';

type Queries = Pick<Database, 'query'>;

/** Without activity for so long (decisions, section 9). */
const restMs = 30 * 86_400_000;

/** Threads of one turn, and rows of one statement. */
const threads = 100;
const piece = 5_000;
/** Turns of one round, and sandboxes that one statement finds: what is left over waits for the next. */
const turns = 100;
const sandboxes = 100;
/** One that failed waits so long. */
const retryMs = 600_000;

interface Sandbox {
  readonly projectId: string;
  readonly environmentId: string;
}

/** Those in which a thread may be due, the longest due first. `$1`: now. */
const selectDue = `
  select project_id as "projectId", environment_id as "environmentId" from environments
  where kind = 'sandbox' and rests_until <= $1 order by rests_until limit ${sandboxes}`;

/** By the index threads_by_activity. `$1`: who has rested since then. */
const selectResting = `
  select thread_id as "threadId" from threads
  where project_id = $2 and environment_id = $3
    and active_second <= extract(epoch from $1::timestamptz) and last_message_at <= $1 and updated_at <= $1
  order by active_second limit ${threads}`;

// Activity only goes on: a thread that is not due is not before its own rest has ended, and one that is not there yet not before
// that of one which begins now. Of those whose messages are old, the last change counts.
const rest = `
  update environments set rests_until = $1::timestamptz + least($1 - $2::timestamptz,
    (select min(updated_at) - $2 from threads t where t.project_id = $3 and t.environment_id = $4
      and t.active_second <= extract(epoch from $2::timestamptz)),
    (select to_timestamp(min(active_second)) - $2 from threads t where t.project_id = $3 and t.environment_id = $4
      and t.active_second > extract(epoch from $2::timestamptz)))
  where environment_id = $4`;

/** `$2`: those of them that still rest; the lock keeps them from waking until the statement is done. One that is waking is let be. */
const resting = `
  resting as materialized (
    select project_id, environment_id, thread_id from threads
    where thread_id = any ($2::text[]) and updated_at <= $1 and last_message_at <= $1
    for update skip locked
  )`;

/** Media goes with its row, by the sweep of files. */
const dropFiles = `
  with ${resting}
  update attachments a set status = 'erased', erased_at = now() from resting
  where a.thread_id = resting.thread_id and a.status <> 'erased'`;

const isChild = (thread: string): string =>
  `c.project_id = ${thread}.project_id and c.environment_id = ${thread}.environment_id and c.thread_id = ${thread}.thread_id`;

const dropFrom = (table: string): string => `
  with ${resting}, gone as (
    delete from ${table} where ctid = any (array(
      select c.ctid from ${table} c join resting on ${isChild('resting')} limit ${piece})) returning 1
  ) select count(*)::int as count from gone`;

const children = ['messages', 'thread_notes', 'read_cursors', 'agent_runs', 'erasures'];

/** A thread that was waking at one of the steps before has kept what that step takes: it is left for the next round. */
const childless = children
  .map(table => `not exists (select from ${table} c where ${isChild('t')})`)
  .join(' and ');

const dropThreads = `
  with ${resting}, timers as (
    delete from reminders r using resting where r.kind = 'thread' and r.actor_id = resting.thread_id
  )
  delete from threads t using resting where t.thread_id = resting.thread_id and ${childless}`;

/**
 * Removes the sandbox threads that have rested at `now` (epoch milliseconds). A sandbox that fails keeps no other waiting: rejects
 * when all have had their turn.
 */
export async function forgetSandboxThreads(db: Queries, now: number): Promise<void> {
  const errors: unknown[] = [];
  const since = new Date(now - restMs);
  let left = turns;
  for (const sandbox of await db.query<Sandbox>(selectDue, [new Date(now)])) {
    const { projectId, environmentId } = sandbox;
    try {
      while (left > 0 && (await forgetSome(db, sandbox, since))) left--;
      await db.query(rest, [new Date(now), since, projectId, environmentId]);
    } catch (error) {
      errors.push(error);
      // Behind whatever else is due.
      await db.query(`update environments set rests_until = $1 where environment_id = $2`, [
        new Date(now + retryMs),
        environmentId,
      ]);
    }
    if (left === 0) break;
  }
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} sandboxes were not swept`);
}

/** Whether there may be more. */
async function forgetSome(db: Queries, { projectId, environmentId }: Sandbox, since: Date): Promise<boolean> {
  const found = await db.query<{ threadId: string }>(selectResting, [since, projectId, environmentId]);
  if (found.length === 0) return false;
  const values = [since, found.map(row => row.threadId)];
  await db.query(dropFiles, values);
  for (const table of children) {
    for (let left = true; left;) {
      const [row] = await db.query<{ count: number }>(dropFrom(table), values);
      left = row?.count === piece;
    }
  }
  await db.query(dropThreads, values);
  return found.length === threads;
}
