/**
 * Usage, derived from the event log. A project's events have dense numbers in the order of their commits, so "counted up to
 * number n" is exact: one statement moves a project's mark from n to m and adds what the events after n up to m come to. It happens
 * or it does not; done twice, by whatever number of nodes, the second finds the mark moved and adds nothing. No message pays
 * for it, and what has been counted outlives the events.
 *
 * Which projects have something to count, their streams say: a commit that appends raises `uncounted`, which costs it nothing while
 * it is up, and it is lowered here when the mark has come to the last event. So nobody looks at a project that rests.
 */
import type { Database } from './database.ts';

/** Projects that one statement takes, and events of each. */
const projects = 20;
const events = 10_000;
/** Statements of one round, and of a turn of the projects that are counted together: what is left over waits for the next round. */
const statements = 500;
const statementsATurn = 20;

/** The events that stand for a message; whatever counts them counts the same ones. */
export const messageCounts = `
  count(*) filter (where e.event_name = 'thread.message.received') as inbound,
  count(*) filter (where e.event_name = 'thread.message.created') as outbound`;

const selectUncounted = `
  select project_id as "projectId" from project_streams where uncounted and project_id > $1 order by project_id limit ${projects}`;

/** Gives how many of the projects have more. */
const roll = `
  with due as materialized (
    select p.project_id, coalesce(m.seq, 0) as after, least(p.last_seq, coalesce(m.seq, 0) + ${events}) as through, p.last_seq
    from project_streams p left join usage_marks m on m.project_id = p.project_id
    where p.project_id = any ($1::text[]) and p.last_seq > coalesce(m.seq, 0)
  ), moved as (
    insert into usage_marks as m (project_id, seq) select project_id, through from due order by project_id
    on conflict (project_id) do update set seq = excluded.seq
      where m.seq = (select d.after from due d where d.project_id = excluded.project_id)
    returning m.project_id
  ), counted as (
    select e.project_id, e.environment_id, (e.occurred_at at time zone 'UTC')::date as day, ${messageCounts}
    from moved join due using (project_id)
    join events e on e.project_id = due.project_id and e.seq > due.after and e.seq <= due.through
    where e.event_name in ('thread.message.received', 'thread.message.created')
    group by 1, 2, 3
  ), added as (
    insert into usage_days as u (project_id, environment_id, day, messages_inbound, messages_outbound)
    select project_id, environment_id, day, inbound, outbound from counted order by 1, 2, 3
    on conflict (project_id, environment_id, day) do update set
      messages_inbound = u.messages_inbound + excluded.messages_inbound,
      messages_outbound = u.messages_outbound + excluded.messages_outbound
  )
  select count(*)::int as count from due where through < last_seq`;

// A statement of its own, and it waits for nobody: commits want these rows.
const lower = `
  with done as materialized (
    select p.project_id from project_streams p join usage_marks m on m.project_id = p.project_id
    where p.project_id = any ($1::text[]) and p.last_seq <= m.seq order by p.project_id for update of p skip locked
  )
  update project_streams p set uncounted = false from done where p.project_id = done.project_id`;

/**
 * Counts what has happened since it was last counted. A project that cannot be counted keeps no other from it: rejects when all
 * have had their turn.
 */
export async function countUsage(db: Pick<Database, 'query'>): Promise<void> {
  const errors: unknown[] = [];
  let left = statements;
  const count = async (some: readonly string[]): Promise<void> => {
    const end = Math.max(0, left - statementsATurn);
    for (let more = 1; more > 0 && left > end; left--) {
      const [row] = await db.query<{ count: number }>(roll, [some]);
      more = row?.count ?? 0;
    }
    await db.query(lower, [some]);
  };
  for (let after = ''; left > 0;) {
    const found = await db.query<{ projectId: string }>(selectUncounted, [after]);
    const some = found.map(({ projectId }) => projectId);
    try {
      if (some.length > 0) await count(some);
    } catch {
      for (const one of some) await count([one]).catch((error: unknown) => errors.push(error));
    }
    if (some.length < projects) break;
    after = some.at(-1) ?? after;
  }
  if (errors.length > 0)
    throw new AggregateError(errors, `usage of ${errors.length} projects was not counted`);
}

/** Whether events of that time have not been counted: they must not go yet. Looks only at projects that have something to count. */
export async function hasUncounted(db: Pick<Database, 'query'>, from: Date, to: Date): Promise<boolean> {
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
