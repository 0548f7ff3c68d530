/**
 * Sandboxes forget: a thread there without activity for 30 days is removed, with all that belongs to it (docs/contract-decisions.md,
 * "Retention"), and so is a run that belongs to no thread, 30 days after its end.
 *
 * Its row goes last, and every step checks again that the thread is still idle. A thread that becomes active in between keeps what it has
 * left, and of a removed thread nothing is left. Whatever fails in between is taken up by the next sweep, on any node.
 */
import type { Queries } from '../database/index.ts';

/** Milliseconds without activity. */
const idleMs = 30 * 86_400_000;

/** Threads of one batch, and rows of one statement. */
const batchThreads = 100;
const batchRows = 5_000;
/** Sandboxes and full batches of one sweep: the rest waits for the next sweep. */
const maxSandboxes = 500;
const maxBatches = 100;
/** Full batches of one sandbox in one sweep: then the others have their turn. */
const maxSandboxBatches = 10;
/** Milliseconds after which a sandbox that failed is tried again. */
const retryMs = 600_000;

interface Sandbox {
  readonly projectId: string;
  readonly environmentId: string;
}

/** The sandboxes in which a thread may be due, the longest due first. `$1`: now. */
const selectDue = `
  select project_id as "projectId", environment_id as "environmentId" from environments
  where kind = 'sandbox' and rests_until <= $1 order by rests_until limit ${maxSandboxes}`;

/** By the index threads_by_change. `$1`: the last activity at the latest. */
const selectIdle = `
  select thread_id as "threadId" from threads
  where project_id = $2 and environment_id = $3
    and greatest(active_second, updated_second) <= extract(epoch from $1::timestamptz)
    and last_message_at <= $1 and updated_at <= $1
  order by greatest(active_second, updated_second) limit ${batchThreads}`;

// Activity only moves forward. A thread that is not due will not be before its own idle time has ended, and a thread that does not exist
// yet not before that of one which begins now. Of runs the same holds.
const setNextDue = `
  update environments set rests_until = $1::timestamptz + least($1 - $2::timestamptz,
    (select to_timestamp(min(greatest(active_second, updated_second))) - $2 from threads t
      where t.project_id = $3 and t.environment_id = $4),
    (select min(completed_at) - $2 from agent_runs r where r.project_id = $3 and r.environment_id = $4 and r.thread_id is null))
  where environment_id = $4 and project_id = $3`;

/** `$2`: the threads; those that are still idle are locked until the statement is done. One that is being changed is skipped. */
const stillIdle = `
  idle as materialized (
    select project_id, environment_id, thread_id from threads
    where thread_id = any ($2::text[]) and updated_at <= $1 and last_message_at <= $1
    for update skip locked
  )`;

const isChild = (thread: string): string =>
  `c.project_id = ${thread}.project_id and c.environment_id = ${thread}.environment_id and c.thread_id = ${thread}.thread_id`;

/** The sweep of media removes the bytes, and then the rows. */
const eraseFiles = `
  with ${stillIdle}, erased as (
    update attachments set status = 'erased', erased_at = now() where attachment_id = any (array(
      select c.attachment_id from attachments c join idle on ${isChild('idle')} where c.status <> 'erased' limit ${batchRows}))
    returning 1
  ) select count(*)::int as count from erased`;

const dropFrom = (table: string): string => `
  with ${stillIdle}, deleted as (
    delete from ${table} where ctid = any (array(
      select c.ctid from ${table} c join idle on ${isChild('idle')} limit ${batchRows})) returning 1
  ) select count(*)::int as count from deleted`;

/** Removes the runs that `selected` gives, as their `ctid`. What they have used is kept, so that reports of usage stay as they are. */
const dropRuns = (selected: string): string => `
  deleted as (
    delete from agent_runs where ctid = any (array(${selected} limit ${batchRows})) returning *
  ), used as (
    insert into usage_runs as u (project_id, environment_id, day, agent_id, model, provider, runs, tool_calls, prompt_tokens,
      completion_tokens, total_tokens, cost_micros)
    select project_id, environment_id, (created_at at time zone 'UTC')::date, coalesce(agent_id, ''), model, provider, count(*),
      sum(tool_call_count), coalesce(sum(prompt_tokens), 0), coalesce(sum(completion_tokens), 0), coalesce(sum(total_tokens), 0),
      coalesce(sum(estimated_cost_micros), 0)
    from deleted group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6
    on conflict (project_id, environment_id, day, agent_id, model, provider) do update set
      runs = u.runs + excluded.runs, tool_calls = u.tool_calls + excluded.tool_calls,
      prompt_tokens = u.prompt_tokens + excluded.prompt_tokens,
      completion_tokens = u.completion_tokens + excluded.completion_tokens,
      total_tokens = u.total_tokens + excluded.total_tokens, cost_micros = u.cost_micros + excluded.cost_micros
  ) select count(*)::int as count from deleted`;

const dropThreadRuns = `
  with ${stillIdle}, ${dropRuns(`select c.ctid from agent_runs c join idle on ${isChild('idle')}`)}`;

/** `$1`: the end of a run at the latest. */
const dropLoneRuns = `
  with ${dropRuns(`select ctid from agent_runs
    where project_id = $2 and environment_id = $3 and thread_id is null and completed_at <= $1`)}`;

const children = [
  'chatapp_sends',
  'chatapp_files',
  'chatapp_aliases',
  'message_words',
  'messages',
  'note_mentions',
  'thread_notes',
  'read_cursors',
  'agent_runs',
  'erasures',
];

/** A thread that was skipped by an earlier step has kept what that step removes: it is left for the next sweep. */
const hasNoChildren = [...children, 'attachments']
  .map(table => {
    const isLeft = table === 'attachments' ? `c.status <> 'erased' and ${isChild('t')}` : isChild('t');
    return `not exists (select from ${table} c where ${isLeft})`;
  })
  .join(' and ');

const dropThreads = `
  with ${stillIdle}, timers as (
    delete from reminders r using idle where r.kind = 'thread' and r.actor_id = idle.thread_id
  )
  delete from threads t using idle where t.thread_id = idle.thread_id and ${hasNoChildren}`;

const setDue = 'update environments set rests_until = $1 where project_id = $2 and environment_id = $3';

/**
 * Removes the sandbox threads that are idle at `now` (epoch milliseconds). A sandbox that has more of them than its share comes last from
 * then on. One that fails does not stop the others: rejects when all have had their turn.
 */
export async function deleteInactiveSandboxThreads(db: Queries, now: number): Promise<void> {
  const errors: unknown[] = [];
  const since = new Date(now - idleMs);
  let left = maxBatches;
  for (const sandbox of await db.query<Sandbox>(selectDue, [new Date(now)])) {
    const { projectId, environmentId } = sandbox;
    try {
      let share = Math.min(left, maxSandboxBatches);
      while (share > 0 && (await deleteBatch(db, sandbox, since))) {
        share--;
        left--;
      }
      await dropAll(db, dropLoneRuns, [since, projectId, environmentId]);
      if (share === 0) await db.query(setDue, [new Date(now), projectId, environmentId]);
      else await db.query(setNextDue, [new Date(now), since, projectId, environmentId]);
    } catch (error) {
      errors.push(error);
      await db.query(setDue, [new Date(now + retryMs), projectId, environmentId]);
    }
    if (left === 0) break;
  }
  if (errors.length > 0)
    throw new AggregateError(errors, `${errors.length} sandboxes could not be cleaned up`);
}

/** Resolves to whether there may be more. */
async function deleteBatch(
  db: Queries,
  { projectId, environmentId }: Sandbox,
  since: Date,
): Promise<boolean> {
  const found = await db.query<{ threadId: string }>(selectIdle, [since, projectId, environmentId]);
  if (found.length === 0) return false;
  const values = [since, found.map(row => row.threadId)];
  await dropAll(db, eraseFiles, values);
  for (const table of children) {
    await dropAll(db, table === 'agent_runs' ? dropThreadRuns : dropFrom(table), values);
  }
  await db.query(dropThreads, values);
  return found.length === batchThreads;
}

/** Repeats the statement until there is nothing left for it. */
async function dropAll(db: Queries, text: string, values: unknown[]): Promise<void> {
  for (let left = true; left;) {
    const [row] = await db.query<{ count: number }>(text, values);
    left = row?.count === batchRows;
  }
}
