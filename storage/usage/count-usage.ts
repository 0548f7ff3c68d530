/**
 * Usage, derived from the event log. A project's events have dense numbers in the order of their commits, so "counted up to number n" is
 * exact. One statement moves a project's mark from n to m and adds the usage of the events after n up to m; either both happen or
 * nothing. A second node that does the same finds the mark moved and adds nothing. Counting does not slow down messages, and counted
 * usage outlives the events.
 *
 * The projects' streams say which projects have something to count: a commit that appends sets `uncounted`, which costs nothing while it
 * is set, and it is reset here when the mark has reached the last event. So idle projects are skipped.
 */
import type { Queries } from '../database/index.ts';
import { readSweepPosition, saveSweepPosition } from '../paging/index.ts';

/** Projects of one statement, and events of each. */
const batchProjects = 20;
const batchEvents = 10_000;
/** Statements of one call, and for one batch of projects: the next call continues after the last batch. */
const maxStatements = 500;
const maxBatchStatements = 20;
const job = 'countUsage';

/** The columns that count the events of messages, shared by all that count them. */
export const messageCounts = `
  count(*) filter (where e.event_name = 'thread.message.received') as inbound,
  count(*) filter (where e.event_name = 'thread.message.created') as outbound`;

const selectUncounted = `
  select project_id as "projectId" from project_streams where uncounted and project_id > $1 order by project_id limit ${batchProjects}`;

/** Gives the number of projects that have more to count. */
const countBatch = `
  with due as materialized (
    select p.project_id, coalesce(m.seq, 0) as after, least(p.last_seq, coalesce(m.seq, 0) + ${batchEvents}) as through, p.last_seq
    from project_streams p left join usage_marks m on m.project_id = p.project_id
    where p.project_id = any ($1::text[]) and p.last_seq > coalesce(m.seq, 0)
  ), moved as (
    insert into usage_marks as m (project_id, seq) select project_id, through from due order by project_id
    on conflict (project_id) do update set seq = excluded.seq
      where m.seq = (select d.after from due d where d.project_id = excluded.project_id)
    returning m.project_id
  ), counted as (
    select e.project_id, e.environment_id, (e.occurred_at at time zone 'UTC')::date as day, coalesce(e.channel_id, '') as channel_id,
      ${messageCounts}
    from moved join due using (project_id)
    join events e on e.project_id = due.project_id and e.seq > due.after and e.seq <= due.through
    where e.event_name in ('thread.message.received', 'thread.message.created')
    group by 1, 2, 3, 4
  ), of_channels as (
    insert into usage_channel_days as u (project_id, environment_id, day, channel_id, messages_inbound, messages_outbound)
    select project_id, environment_id, day, channel_id, inbound, outbound from counted order by 1, 2, 3, 4
    on conflict (project_id, environment_id, day, channel_id) do update set
      messages_inbound = u.messages_inbound + excluded.messages_inbound,
      messages_outbound = u.messages_outbound + excluded.messages_outbound
  ), added as (
    insert into usage_days as u (project_id, environment_id, day, messages_inbound, messages_outbound)
    select project_id, environment_id, day, sum(inbound), sum(outbound) from counted group by 1, 2, 3 order by 1, 2, 3
    on conflict (project_id, environment_id, day) do update set
      messages_inbound = u.messages_inbound + excluded.messages_inbound,
      messages_outbound = u.messages_outbound + excluded.messages_outbound
  )
  select count(*)::int as count from due where through < last_seq`;

// A statement of its own, which skips locked rows, because commits need them.
const resetUncounted = `
  with done as materialized (
    select p.project_id from project_streams p join usage_marks m on m.project_id = p.project_id
    where p.project_id = any ($1::text[]) and p.last_seq <= m.seq order by p.project_id for update of p skip locked
  )
  update project_streams p set uncounted = false from done where p.project_id = done.project_id`;

/**
 * Counts the events since the last call. Each call continues where the last one ended, so that every project has its turn, however many
 * there are. A project that fails does not stop the others: rejects when all have had their turn.
 */
export async function countUsage(db: Queries): Promise<void> {
  const errors: unknown[] = [];
  let left = maxStatements;
  const count = async (some: readonly string[]): Promise<void> => {
    const end = Math.max(0, left - maxBatchStatements);
    for (let more = 1; more > 0 && left > end;) {
      left--;
      const [row] = await db.query<{ count: number }>(countBatch, [some]);
      more = row?.count ?? 0;
    }
    await db.query(resetUncounted, [some]);
  };
  const start = await readSweepPosition(db, job);
  let after = start;
  do {
    const found = await db.query<{ projectId: string }>(selectUncounted, [after]);
    const some = found.map(({ projectId }) => projectId);
    try {
      if (some.length > 0) await count(some);
    } catch {
      for (const one of some) await count([one]).catch((error: unknown) => errors.push(error));
    }
    after = some.length < batchProjects ? '' : (some.at(-1) ?? '');
  } while (after !== '' && left > 0);
  if (after !== start) await saveSweepPosition(db, job, after);
  if (errors.length > 0) {
    throw new AggregateError(errors, `usage of ${errors.length} projects was not counted`);
  }
}

/** Whether events of that time are uncounted, and must not be dropped yet. Looks only at projects with something to count. */
export async function hasUncounted(db: Queries, from: Date, to: Date): Promise<boolean> {
  const [row] = await db.query<{ found: boolean }>(
    `select exists (
       select from project_streams p left join usage_marks m on m.project_id = p.project_id
       where p.uncounted and exists (
         select from events e where e.project_id = p.project_id and e.seq > coalesce(m.seq, 0)
           and e.occurred_at >= $1 and e.occurred_at < $2)
     ) as found`,
    [from, to],
  );
  return row?.found === true;
}
