/**
 * Dead letters: deliveries that have failed for good, and that nothing has made good since. A replay makes a new delivery of the event; as
 * long as that one is under way, or when it was delivered, the failed one is settled, and if it fails, too, it is the dead letter.
 */
import type { Queries, TenantScope } from '../database/index.ts';
import type { ReplayedEvent } from './replayed-log.ts';
import type { ReplayEvents, ReplaySource } from './replays.ts';

/** Which dead letters. */
export interface DeadLetterFilter extends TenantScope {
  /** ISO 8601; from inclusive, to exclusive. */
  readonly since: string;
  readonly until: string;
  /** Names and patterns; empty: all. */
  readonly eventNames: readonly string[];
}

/** Of a list of names and patterns, which is that parameter. */
const hasName = (names: string): string => `
  (cardinality(${names}::text[]) = 0 or d.event_name = any (${names})
    or exists (select from unnest(${names}) pattern where pattern like '%*' and starts_with(d.event_name, left(pattern, -1))))`;

// A loose index scan: one probe for each stitch, however many of its deliveries have failed.
const selectFailing = `
  with recursive failing as (
    (select d.stitch_id from webhook_deliveries d where d.project_id = $1 and d.environment_id = $2 and d.status = 'failed'
     order by d.stitch_id limit 1)
    union all
    select (select d.stitch_id from webhook_deliveries d
            where d.project_id = $1 and d.environment_id = $2 and d.status = 'failed' and d.stitch_id > f.stitch_id
            order by d.stitch_id limit 1)
    from failing f where f.stitch_id is not null
  )
  select f.stitch_id as "stitchId" from failing f join stitches s on s.stitch_id = f.stitch_id
  where s.archived_at is null and exists (
    select from webhook_deliveries d
    where d.project_id = $1 and d.environment_id = $2 and d.stitch_id = f.stitch_id and d.status = 'failed' and d.trigger <> 'test'
      and d.created_at >= $3::timestamptz and d.created_at < $4::timestamptz and ${hasName('$5')})
  order by 1 limit $6`;

/** The stitches with deliveries that have failed, settled since or not; archived ones are not among them. */
export async function findFailingStitches(
  db: Queries,
  filter: DeadLetterFilter,
  limit: number,
): Promise<string[]> {
  const { projectId, environmentId, since, until, eventNames } = filter;
  const values = [projectId, environmentId, since, until, eventNames, limit];
  const rows = await db.query<{ stitchId: string }>(selectFailing, values, 'deliveries.failing_stitches');
  return rows.map(({ stitchId }) => stitchId);
}

// The page is of what has failed, so that it costs the same where all of it is settled. It is of the stitch's row by itself: joined with it,
// all that has failed in the span is read and sorted for each page.
const selectPage = `
  with page as materialized (
    select d.* from stitches s cross join lateral (
      select * from webhook_deliveries d
      where d.project_id = s.project_id and d.environment_id = s.environment_id and d.stitch_id = s.stitch_id
        and d.status = 'failed' and d.trigger <> 'test'
        and d.created_at >= coalesce($5, $2::timestamptz) and d.created_at < $3::timestamptz and ${hasName('$4')}
        and ($5::timestamptz is null or (d.created_at, d.event_seq) > ($5, $6::bigint))
      order by d.created_at, d.event_seq limit $7
    ) d
    where s.stitch_id = $1
  )
  select page.created_at as "createdAt", page.event_id as "eventId", page.event_seq as "eventSeq", page.event_name as "eventName",
    page.event_at as "eventAt", page.thread_id as "threadId", exists (
      select from webhook_deliveries later
      where later.event_id = page.event_id and later.trigger <> 'scheduled' and later.stitch_id = page.stitch_id
        and later.project_id = page.project_id and later.status <> 'cancelled' and later.created_at >= page.created_at
        and (later.created_at, later.delivery_id) > (page.created_at, page.delivery_id)
    ) as "isSettled"
  from page order by page.created_at, page.event_seq`;

interface FailedRow extends Omit<ReplayedEvent, 'createdAt' | 'eventAt'> {
  readonly createdAt: Date;
  readonly eventAt: Date;
  readonly isSettled: boolean;
}

/** The next events of a replay of dead letters, oldest first. A page may be empty although more follow. */
export async function readDeadLetters(
  db: Queries,
  source: ReplaySource,
  limit: number,
): Promise<ReplayEvents> {
  const { sourceStitchId, since, until, eventNames, after } = source;
  const place = [after?.createdAt ?? null, after?.eventSeq ?? null];
  const values = [sourceStitchId, since, until, eventNames, ...place, limit];
  const rows = await db.query<FailedRow>(selectPage, values, 'deliveries.dead_letters');
  const events = rows.flatMap(({ isSettled, createdAt, eventAt, ...event }) =>
    isSettled ? [] : [{ ...event, createdAt: createdAt.toISOString(), eventAt: eventAt.toISOString() }],
  );
  const last = rows.length === limit ? rows.at(-1) : undefined;
  const next =
    last === undefined ? null : { createdAt: last.createdAt.toISOString(), eventSeq: last.eventSeq };
  return { events, next };
}
