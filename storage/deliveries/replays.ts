/** What a stitch does beside sending: replays of past deliveries, cancellations, and which stitches have work left. */
import type { Queries } from '../database/index.ts';

/** What to replay of a stitch. */
export interface ReplaySource {
  readonly sourceStitchId: string;
  /** ISO 8601; from inclusive, to exclusive. */
  readonly since: string;
  readonly until: string;
  /** Names and patterns; empty: all. */
  readonly eventNames: readonly string[];
  /** Empty: all. */
  readonly statuses: readonly string[];
  /** The last delivery of the source that has been replayed; null before the first. */
  readonly after: { readonly createdAt: string; readonly eventSeq: number } | null;
}

export interface ReplayedEvent {
  readonly createdAt: string;
  readonly eventId: string;
  readonly eventSeq: number;
  readonly eventName: string;
  readonly eventAt: string;
  readonly threadId: string | null;
}

// Scheduled deliveries only: to replay a replay would send an event twice. By time and then by number, which is the order within each
// thread; the index gives it, but for the events of one millisecond.
const selectReplay = `
  select d.created_at as "createdAt", d.event_id as "eventId", d.event_seq as "eventSeq", d.event_name as "eventName",
    d.event_at as "eventAt", d.thread_id as "threadId"
  from stitches s join webhook_deliveries d
    on d.project_id = s.project_id and d.environment_id = s.environment_id and d.stitch_id = s.stitch_id
  where s.stitch_id = $1 and d.trigger = 'scheduled' and d.created_at >= $2::timestamptz and d.created_at < $3::timestamptz
    and (cardinality($4::text[]) = 0 or d.status = any ($4))
    and (cardinality($5::text[]) = 0 or d.event_name = any ($5)
      or exists (select from unnest($5) pattern where pattern like '%*' and starts_with(d.event_name, left(pattern, -1))))
    and ($6::timestamptz is null or (d.created_at, d.event_seq) > ($6, $7::bigint))
  order by d.created_at, d.event_seq limit $8`;

/** The next events of a replay, oldest first. */
export async function replayEvents(
  db: Queries,
  source: ReplaySource,
  limit: number,
): Promise<ReplayedEvent[]> {
  const { sourceStitchId, since, until, eventNames, statuses, after } = source;
  const rows = await db.query<
    Omit<ReplayedEvent, 'createdAt' | 'eventAt'> & { createdAt: Date; eventAt: Date }
  >(
    selectReplay,
    [
      sourceStitchId,
      since,
      until,
      statuses,
      eventNames,
      after?.createdAt ?? null,
      after?.eventSeq ?? null,
      limit,
    ],
    'deliveries.replay',
  );
  return rows.map(row => ({
    ...row,
    createdAt: row.createdAt.toISOString(),
    eventAt: row.eventAt.toISOString(),
  }));
}

const cancelOpen = `
  with open as (
    select d.delivery_id, d.created_at from stitches s join webhook_deliveries d
      on d.stitch_id = s.stitch_id and d.project_id = s.project_id and d.environment_id = s.environment_id
    where s.stitch_id = $1 and d.status in ('pending', 'retrying') and d.created_at <= $2 and d.delivery_id <> all ($3::text[])
    order by d.event_seq limit $4 for update of d
  )
  update webhook_deliveries d set status = 'cancelled', next_attempt_at = null, updated_at = $5
  from open where d.delivery_id = open.delivery_id and d.created_at = open.created_at`;

export interface Cancellation {
  readonly stitchId: string;
  /** ISO 8601: deliveries created up to this instant. */
  readonly until: string;
  /** Not these: their requests are in flight, and end as their answers say. */
  readonly except: readonly string[];
  readonly limit: number;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Cancels the open deliveries of a stitch that accepts no more. Resolves to their number: fewer than the limit when none is left. */
export async function cancelDeliveries(
  db: Queries,
  { stitchId, until, except, limit, now }: Cancellation,
): Promise<number> {
  const values = [stitchId, until, except, limit, new Date(now)];
  const rows = await db.query(`${cancelOpen} returning 1 as one`, values, 'deliveries.cancel');
  return rows.length;
}

// A loose index scan: one probe for each stitch with open deliveries, however many it has. The second half uses the index
// stitches_unfinished, whose condition it repeats word for word.
const selectWithWork = `
  with recursive busy as (
    (select stitch_id from webhook_deliveries
     where status in ('pending', 'delivering', 'retrying') and stitch_id > $1 order by stitch_id limit 1)
    union all
    select (select d.stitch_id from webhook_deliveries d
            where d.status in ('pending', 'delivering', 'retrying') and d.stitch_id > busy.stitch_id
            order by d.stitch_id limit 1)
    from busy where busy.stitch_id is not null
  )
  select stitch_id as "stitchId" from (
    (select stitch_id from busy where stitch_id is not null limit $2)
    union
    (select stitch_id from stitches where stitch_id > $1
      and (state ->> 'cancelUntil' is not null or state ->> 'replays' <> '[]' or state ->> 'ownerNews' <> '[]')
     order by stitch_id limit $2)
  ) both_sorts order by stitch_id limit $2`;

/**
 * Stitches that have open deliveries, or a replay, a cancellation or a notice for their owners to finish, by their ids, after `after`.
 * Tell each of them `sweep` when a node starts, and regularly: that repairs what a crash or a lost tell has left behind.
 */
export async function stitchesWithWork(db: Queries, limit: number, after = ''): Promise<string[]> {
  const rows = await db.query<{ stitchId: string }>(selectWithWork, [after, limit], 'stitches.with_work');
  return rows.map(({ stitchId }) => stitchId);
}
