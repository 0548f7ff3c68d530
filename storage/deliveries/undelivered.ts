/** Whether events are still to be delivered: they are kept for longer than others (storage/retention/sweep.ts). */
import type { Queries } from '../database/index.ts';
import { isWantedEvent } from './subscriptions.ts';

/** Nothing is sent for a project that is archived, by itself or with its workspace: what it has waits no longer than what was delivered. */
const isArchived = (project: string): string => `exists (
  select from projects a join workspaces w on w.workspace_id = a.workspace_id
  where a.project_id = ${project} and (a.archived_at is not null or w.archived_at is not null))`;

// By stitch, and of each the first event that it has yet to deliver: most have none that old, which the first look into the index tells.
const selectUndelivered = `
  select exists (
    select from webhook_deliveries d
    where d.status in ('pending', 'delivering', 'retrying') and d.event_at >= $1 and d.event_at < $2 and not ${isArchived('d.project_id')}
  ) or exists (
    select from stitch_spans p join stitches s on s.stitch_id = p.stitch_id cross join lateral (
      select from events e
      where e.project_id = p.project_id and e.seq > s.settled_seq and e.occurred_at >= $1 and e.occurred_at < $2 and ${isWantedEvent}
        and not exists (
          select from webhook_deliveries d
          where d.delivery_id = skein_delivery_id(e.event_id, p.stitch_id) and d.created_at = e.occurred_at)
      order by e.seq limit 1
    ) found
    where p.cancelled_at is null and not ${isArchived('p.project_id')}
  ) as found`;

/** Whether any stitch has yet to deliver an event from `from` (inclusive) to `to` (exclusive), for the first time or again. */
export async function hasUndelivered(db: Queries, from: Date, to: Date): Promise<boolean> {
  const [row] = await db.query<{ found: boolean }>(selectUndelivered, [from, to]);
  return row?.found === true;
}
