/**
 * What stitches have left undone: deliveries that were open when a stitch was stopped, and which stitches have work that nobody has told
 * them of, or that a crash has interrupted.
 */
import type { Queries } from '../database/index.ts';
import { selectDays } from './days.ts';

// Only while the stitch's row says so: who has lost the stitch meanwhile cancels nothing. Nothing scheduled is begun before the stitch has
// committed that everything is cancelled. So every scheduled row is from before the stop, whatever the clock said where its event was
// committed. What the stitch has made itself since it was enabled again has a later instant than the stop, by the stitch's own order.
// Of the stitch's row by itself: joined with it, all that is open is read and sorted for each page.
// The update names ids and days once more, or the planner, which knows nothing of partitions that are left out, would read the table.
const cancelOpen = `
  with open as (
    select d.delivery_id, d.created_at from stitches s cross join lateral (
      select d.delivery_id, d.created_at from webhook_deliveries d
      where d.stitch_id = s.stitch_id and d.project_id = s.project_id and d.environment_id = s.environment_id
        and d.status in ('pending', 'retrying')
        and (d.trigger = 'scheduled' or d.created_at <= $2::text::timestamptz)
        and not exists (
          select from unnest($3::text[], $4::int[]) as begun(id, attempts) where id = d.delivery_id and attempts = d.attempt_count)
      order by d.event_seq limit $5 for update
    ) d
    where s.stitch_id = $1 and s.state ->> 'cancelUntil' = $2::text
  )
  update webhook_deliveries d set status = 'cancelled', next_attempt_at = null, updated_at = $6
  from open where d.delivery_id = open.delivery_id and d.created_at = open.created_at
    and d.delivery_id = any (array(select delivery_id from open))
    and d.created_at >= (select min(created_at) from open) and d.created_at <= (select max(created_at) from open)`;

/** An attempt whose request was made. The row of its delivery has that many attempts until it has the result. */
export interface StartedAttempt {
  readonly deliveryId: string;
  /** Attempts before it. */
  readonly attempts: number;
}

export interface Cancellation {
  readonly stitchId: string;
  /** The stop, as `cancelUntil` of the stitch's state says it. */
  readonly until: string;
  /** Not these: they end as their answers say. */
  readonly except: readonly StartedAttempt[];
  readonly limit: number;
  /** Epoch milliseconds. */
  readonly now: number;
}

/**
 * Cancels the deliveries of a stitch that were open when it was stopped. Resolves to their number: fewer than the limit when none is left, or
 * when the stitch has been told already that all are cancelled.
 */
export async function cancelDeliveries(
  db: Queries,
  { stitchId, until, except, limit, now }: Cancellation,
): Promise<number> {
  const ids = except.map(({ deliveryId }) => deliveryId);
  const attempts = except.map(each => each.attempts);
  const values = [stitchId, until, ids, attempts, limit, new Date(now)];
  const rows = await db.query(`${cancelOpen} returning 1 as one`, values, 'deliveries.cancel');
  return rows.length;
}

// The first half uses the index stitches_unfinished, whose condition it repeats word for word, and the second stitch_spans_in_flight.
const selectUnfinished = `
  select stitch_id as "stitchId" from (
    (select stitch_id from stitches where stitch_id > $1
      and (state ->> 'cancelUntil' is not null or state ->> 'replays' <> '[]' or state ->> 'ownerNews' <> '[]')
     order by stitch_id limit $2)
    union
    (select stitch_id from stitch_spans where stitch_id > $1 and in_flight <> '{}' order by stitch_id limit $2)
  ) every_sort order by stitch_id limit $2`;

/**
 * Stitches that have a replay, a cancellation, a notice for their owners, or a request that was out when they were disabled to finish, by their
 * ids, after `after`. Tell each of them `resume` when a node starts, and regularly: that repairs what a crash or a lost tell has left behind.
 */
export async function unfinishedStitches(db: Queries, limit: number, after = ''): Promise<string[]> {
  const rows = await db.query<{ stitchId: string }>(selectUnfinished, [after, limit], 'stitches.unfinished');
  return rows.map(({ stitchId }) => stitchId);
}

/**
 * A loose index scan of each day: one probe for each stitch that has such rows of that day, however many. A scan of all days at once looks into
 * every partition for each stitch: 70 ms of processor time in place of 37 for 1,000 stitches that had them of three days.
 */
const selectByDay = (sort: {
  readonly status: string;
  readonly column: string;
  readonly meant: string;
}): string => `
  select distinct stitch_id as "stitchId" from (${selectDays}) days cross join lateral (
    with recursive busy as (
      (select stitch_id, ${sort.column} as first from webhook_deliveries
       where status = '${sort.status}' and stitch_id > $1 and created_at >= since and created_at < until
       order by stitch_id, ${sort.column} limit 1)
      union all
      select d.stitch_id, d.first from busy b cross join lateral (
        select stitch_id, ${sort.column} as first from webhook_deliveries
        where status = '${sort.status}' and stitch_id > b.stitch_id and created_at >= since and created_at < until
        order by stitch_id, ${sort.column} limit 1) d
    )
    select stitch_id from busy where ${sort.meant} limit $2
  ) of_day order by 1 limit $2`;

const selectWithRows = selectByDay({ status: 'pending', column: 'event_seq', meant: 'true' });

/** Stitches that have pending rows: replays, tests, and what a node of an earlier version has left. As {@link unfinishedStitches}. */
export async function stitchesWithRows(db: Queries, limit: number, after = ''): Promise<string[]> {
  const rows = await db.query<{ stitchId: string }>(selectWithRows, [after, limit], 'stitches.with_rows');
  return rows.map(({ stitchId }) => stitchId);
}

// Of each stitch the retry that was due first.
const selectWithRetries = selectByDay({
  status: 'retrying',
  column: 'next_attempt_at',
  meant: "first < now() - interval '1 minute'",
});

/**
 * Stitches with a retry that has been due for a minute. Its reminder is used up when the attempt begins: where the node dies with the request
 * in flight, the row is all that is left. As {@link unfinishedStitches}; tell each of them `probe`.
 */
export async function stitchesWithRetries(db: Queries, limit: number, after = ''): Promise<string[]> {
  const rows = await db.query<{ stitchId: string }>(
    selectWithRetries,
    [after, limit],
    'stitches.with_retries',
  );
  return rows.map(({ stitchId }) => stitchId);
}
