/**
 * Usage, derived from the event log. A project's events have dense numbers in the order of their commits, so "counted up to
 * number n" is exact: one statement moves a project's mark from n to m and adds what the events after n up to m come to. It happens
 * or it does not; done twice, by whatever number of nodes, the second finds the mark moved and adds nothing. No message pays
 * for it, and what has been counted outlives the events.
 */
import type { Database } from './database.ts';

/** Projects and events of each that one statement takes. */
const projects = 20;
const events = 10_000;
/** Statements of one round: what is left over waits for the next. */
const rounds = 500;

/** The events that stand for a message; whatever counts them counts the same ones. */
export const messageCounts = `
  count(*) filter (where e.event_name = 'thread.message.received') as inbound,
  count(*) filter (where e.event_name = 'thread.message.created') as outbound`;

const roll = `
  with due as materialized (
    select p.project_id, coalesce(m.seq, 0) as after, least(p.last_seq, coalesce(m.seq, 0) + ${events}) as through
    from project_streams p left join usage_marks m on m.project_id = p.project_id
    where p.last_seq > coalesce(m.seq, 0) order by p.project_id limit ${projects}
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
  select count(*)::int as count from due`;

/** Counts what has happened since it was last counted. Rejects where the database fails. */
export async function countUsage(db: Pick<Database, 'query'>): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const [row] = await db.query<{ count: number }>(roll);
    if (row === undefined || row.count === 0) return;
  }
}
