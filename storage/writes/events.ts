/** Rows of `events`, numbered per project, with the deliveries they cause. */
import type { Announced, Statement, Write } from '../statement.ts';

/**
 * Takes the numbers, inserts the events and joins them with the stitches that want them, in one statement: a stitch that was
 * committed a moment ago is never missed. It runs last in its transaction, because from here to the commit it holds
 * the project's row in `project_streams`; that lock is what makes `seq` dense and commit-ordered. The rows are locked in
 * the order of their ids first, so that two nodes never wait for each other in a circle.
 *
 * Returns one row: `heads` (project id to the number before its first event here) and `stitches` (who got deliveries).
 */
export const append: Statement = {
  name: 'event.append',
  order: 90,
  text: `
    with input as materialized (
      select r.*, row_number() over (partition by "projectId" order by ordinal) as n
      from rows from (json_to_recordset($1::json) as ("projectId" text, "environmentId" text, "eventId" text, "eventName" text,
        "occurredAt" timestamptz, "threadId" text, "channelId" text, sequence bigint, body json, "onlyStitchId" text,
        "exceptStitchId" text)) with ordinality
        as r("projectId", "environmentId", "eventId", "eventName", "occurredAt", "threadId", "channelId", sequence, body,
          "onlyStitchId", "exceptStitchId", ordinal)
    ), counts as (
      select "projectId", count(*) as total from input group by 1
    ), locked as materialized (
      select project_id from project_streams where project_id in (select "projectId" from counts) order by 1 for update
    ), heads as (
      update project_streams p set last_seq = p.last_seq + c.total
      from counts c, locked l where p.project_id = c."projectId" and l.project_id = p.project_id
      returning p.project_id, p.last_seq - c.total as base
    ), stored as (
      insert into events (project_id, seq, event_id, event_name, occurred_at, environment_id, thread_id, channel_id, sequence, body)
      select "projectId", base + n, "eventId", "eventName", "occurredAt", "environmentId", "threadId", "channelId", sequence, body
      from input join heads on project_id = "projectId"
    ), delivered as (
      insert into webhook_deliveries (delivery_id, project_id, environment_id, stitch_id, event_id, event_seq, event_name, event_at,
        thread_id, status, attempt_count, trigger, next_attempt_at, created_at, updated_at)
      select skein_delivery_id("eventId", stitch_id), i."projectId", i."environmentId", stitch_id, "eventId", base + n, "eventName",
        "occurredAt", "threadId", 'pending', 0, case when "onlyStitchId" is null then 'scheduled' else 'test' end,
        "occurredAt", "occurredAt", "occurredAt"
      from input i join heads h on h.project_id = i."projectId"
      join stitches s on s.project_id = i."projectId" and s.environment_id = i."environmentId"
        and s.archived_at is null and s.status <> 'disabled' and s.webhook_url is not null
        and s.stitch_id is distinct from i."exceptStitchId"
        and (i."onlyStitchId" = s.stitch_id or i."onlyStitchId" is null and (s.event_names = '{}' or i."eventName" = any (s.event_names)
          or exists (select from unnest(s.event_names) pattern where pattern like '%*' and starts_with(i."eventName", left(pattern, -1)))))
      returning stitch_id
    )
    select (select json_object_agg(project_id, base) from heads) as heads,
      array(select distinct stitch_id from delivered) as stitches,
      skein_fence('project', array(select "projectId" from counts except select project_id from heads))`,
};

export interface EventRow extends Announced {
  readonly environmentId: string;
  /** ISO 8601. */
  readonly occurredAt: string;
  readonly threadId?: string;
  readonly channelId?: string;
  /** The thread's own number. */
  readonly sequence?: number;
  /** Deliver to this stitch alone (the test event). */
  readonly onlyStitchId?: string;
  /** Deliver to all but this stitch (news of the stitch itself). */
  readonly exceptStitchId?: string;
}

const quoted = (name: string, value: string | undefined): string =>
  value === undefined ? '' : `,"${name}":${JSON.stringify(value)}`;

/** @param row `body` is nested as it stands: the column is `json`, which keeps the text, and the text is what gets signed. */
export function appendEvent(row: EventRow): Write {
  const text =
    `{"projectId":"${row.projectId}","environmentId":"${row.environmentId}","eventId":"${row.eventId}",` +
    `"eventName":"${row.eventName}","occurredAt":"${row.occurredAt}"${quoted('threadId', row.threadId)}` +
    `${quoted('channelId', row.channelId)}${row.sequence === undefined ? '' : `,"sequence":${row.sequence}`}` +
    `${quoted('onlyStitchId', row.onlyStitchId)}${quoted('exceptStitchId', row.exceptStitchId)},"body":${row.body}}`;
  return { statement: append, row: text, event: row };
}
