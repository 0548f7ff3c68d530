/** What a stitch does beside sending: replays of past deliveries, cancellations, and which stitches have work left. */
import { matchesEventNames } from '../../protocol/events.ts';
import type { Queries, TenantScope } from '../database/index.ts';
import { matchesNames } from './subscriptions.ts';
import { unrecordedPage } from './unrecorded.ts';

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
  readonly after: ReplayPlace | null;
}

export interface ReplayPlace {
  /** ISO 8601. */
  readonly createdAt: string;
  /** The largest safe integer: everything of that instant is replayed. */
  readonly eventSeq: number;
  /** All rows are replayed: `eventSeq` is how far the log was read for deliveries that have none. */
  readonly inLog?: true;
}

export interface ReplayedEvent {
  readonly createdAt: string;
  readonly eventId: string;
  readonly eventSeq: number;
  readonly eventName: string;
  readonly eventAt: string;
  readonly threadId: string | null;
}

/** Rows of the environment, of whichever stitch, that one statement looks at, and statements of a page: then the page is short. */
const stretchRows = 1_000;
const maxStretches = 10;

/** The event number in a place up to which everything of its instant is replayed. */
const wholeInstant = Number.MAX_SAFE_INTEGER;

// Where a stretch ends: by an index, in its order. Null where less is left. An instant may have more rows than a stretch: what lies behind one
// that is done begins after it.
const selectStretchEnd = (begins: '>=' | '>'): string => `
  select s.project_id as "projectId", s.environment_id as "environmentId", (
    select d.created_at from webhook_deliveries d
    where d.project_id = s.project_id and d.environment_id = s.environment_id and d.created_at ${begins} $2::timestamptz and d.created_at < $3::timestamptz
    order by d.created_at offset ${stretchRows - 1} limit 1) as "lastAt"
  from stitches s where s.stitch_id = $1`;
const stretchEnds = {
  from: { name: 'deliveries.replay_stretch', text: selectStretchEnd('>=') },
  behind: { name: 'deliveries.replay_stretch_behind', text: selectStretchEnd('>') },
};

// Scheduled deliveries only: to replay a replay would send an event twice. By time and then by number, which is the order within each
// thread. No index has it, so that all of the stretch are read and sorted; `$6` is its end.
const selectReplay = `
  select d.created_at as "createdAt", d.event_id as "eventId", d.event_seq as "eventSeq", d.event_name as "eventName",
    d.event_at as "eventAt", d.thread_id as "threadId"
  from webhook_deliveries d
  where d.project_id = $1 and d.environment_id = $2 and d.stitch_id = $3 and d.trigger = 'scheduled'
    and d.created_at >= $4::timestamptz and d.created_at < $5::timestamptz and d.created_at <= $6::timestamptz
    and (cardinality($7::text[]) = 0 or d.status = any ($7))
    and ${matchesNames('$8::text[]', 'd.event_name')}
    and ($9::timestamptz is null or (d.created_at, d.event_seq) > ($9, $10::bigint))
  order by d.created_at, d.event_seq limit $11`;

const selectTenant = `
  select project_id as "projectId", environment_id as "environmentId" from stitches where stitch_id = $1`;

/** A page of a replay. */
export interface ReplayEvents {
  readonly events: readonly ReplayedEvent[];
  /** Where the next page begins; null: this was the last. */
  readonly next: ReplayPlace | null;
}

/** The next events of a replay: those of deliveries with a row, oldest first, and then of those without one, in the order of the log. */
export async function replayEvents(db: Queries, source: ReplaySource, limit: number): Promise<ReplayEvents> {
  if (source.after?.inLog === true) return readLogPage(db, source, source.after.eventSeq, limit);
  const events: ReplayedEvent[] = [];
  let after = source.after;
  for (let stretch = 0; stretch < maxStretches; stretch++) {
    const { found, lastAt } = await readStretch(db, { ...source, after }, limit - events.length);
    events.push(...found);
    const last = events.at(-1);
    if (events.length === limit && last !== undefined) {
      return { events, next: { createdAt: last.createdAt, eventSeq: last.eventSeq } };
    }
    if (lastAt === undefined) {
      const { since, statuses } = source;
      const mayBeInLog = statuses.length === 0 || statuses.some(status => unrecordedStatuses.has(status));
      return { events, next: mayBeInLog ? { createdAt: since, eventSeq: 0, inLog: true } : null };
    }
    // All of that instant are in the stretch.
    after = { createdAt: lastAt, eventSeq: wholeInstant };
  }
  return { events, next: after };
}

const unrecordedStatuses: ReadonlySet<string> = new Set(['pending', 'cancelled']);

async function readLogPage(
  db: Queries,
  { sourceStitchId, since, until, eventNames, statuses }: ReplaySource,
  after: number,
  limit: number,
): Promise<ReplayEvents> {
  const [tenant] = await db.query<TenantScope>(selectTenant, [sourceStitchId], 'deliveries.replay_tenant');
  if (tenant === undefined) return { events: [], next: null };
  const filter = { ...tenant, stitchId: sourceStitchId, since, until };
  const { rows, end } = await unrecordedPage(db, filter, 'asc', after, limit);
  const events = rows.flatMap(({ delivery, eventSeq, eventAt }) => {
    const { status, eventName, eventId, createdAt, threadId = null } = delivery;
    const isMeant =
      (statuses.length === 0 || statuses.includes(status)) && matchesEventNames(eventNames, eventName ?? '');
    return isMeant && eventId
      ? [{ createdAt, eventId, eventSeq, eventName: eventName ?? '', eventAt, threadId }]
      : [];
  });
  const last = events[limit - 1];
  const place = events.length > limit && last !== undefined ? last.eventSeq : end?.seq;
  return {
    events: events.slice(0, limit),
    next: place === undefined ? null : { createdAt: since, eventSeq: place, inLog: true },
  };
}

/** The next deliveries with a row, as far as the next stretch has them. */
async function readStretch(
  db: Queries,
  source: ReplaySource,
  limit: number,
): Promise<{ readonly found: readonly ReplayedEvent[]; readonly lastAt: string | undefined }> {
  const { sourceStitchId, since, until, eventNames, statuses, after } = source;
  const from = after?.createdAt ?? since;
  // First, so that whatever is dropped or recorded meanwhile is not beyond the end that the rows are read up to.
  const { name, text } = after?.eventSeq === wholeInstant ? stretchEnds.behind : stretchEnds.from;
  const [place] = await db.query<TenantScope & { lastAt: Date | null }>(
    text,
    [sourceStitchId, from, until],
    name,
  );
  if (place === undefined) return { found: [], lastAt: undefined };
  const { projectId, environmentId, lastAt } = place;
  const rows = await db.query<
    Omit<ReplayedEvent, 'createdAt' | 'eventAt'> & { createdAt: Date; eventAt: Date }
  >(
    selectReplay,
    [
      projectId,
      environmentId,
      sourceStitchId,
      from,
      until,
      lastAt ?? until,
      statuses,
      eventNames,
      after?.createdAt ?? null,
      after?.eventSeq ?? null,
      limit,
    ],
    'deliveries.replay',
  );
  const found = rows.map(row => ({
    ...row,
    createdAt: row.createdAt.toISOString(),
    eventAt: row.eventAt.toISOString(),
  }));
  return { found, lastAt: lastAt?.toISOString() };
}

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
        and (d.trigger = 'scheduled' or d.created_at <= $2::text::timestamptz) and d.delivery_id <> all ($3::text[])
      order by d.event_seq limit $4 for update
    ) d
    where s.stitch_id = $1 and s.state ->> 'cancelUntil' = $2::text
  )
  update webhook_deliveries d set status = 'cancelled', next_attempt_at = null, updated_at = $5
  from open where d.delivery_id = open.delivery_id and d.created_at = open.created_at
    and d.delivery_id = any (array(select delivery_id from open))
    and d.created_at >= (select min(created_at) from open) and d.created_at <= (select max(created_at) from open)`;

export interface Cancellation {
  readonly stitchId: string;
  /** The stop, as `cancelUntil` of the stitch's state says it. */
  readonly until: string;
  /** Not these: their requests are in flight, and end as their answers say. */
  readonly except: readonly string[];
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
  const values = [stitchId, until, except, limit, new Date(now)];
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

// A loose index scan: one probe for each stitch with pending rows, however many it has.
const selectWithRows = `
  with recursive busy as (
    (select stitch_id from webhook_deliveries
     where status = 'pending' and stitch_id > $1 order by stitch_id limit 1)
    union all
    select (select d.stitch_id from webhook_deliveries d
            where d.status = 'pending' and d.stitch_id > busy.stitch_id
            order by d.stitch_id limit 1)
    from busy where busy.stitch_id is not null
  )
  select stitch_id as "stitchId" from busy where stitch_id is not null limit $2`;

/** Stitches that have pending rows: replays, tests, and what a node of an earlier version has left. As {@link unfinishedStitches}. */
export async function stitchesWithRows(db: Queries, limit: number, after = ''): Promise<string[]> {
  const rows = await db.query<{ stitchId: string }>(selectWithRows, [after, limit], 'stitches.with_rows');
  return rows.map(({ stitchId }) => stitchId);
}

// As above; of each stitch the retry that was due first.
const selectWithRetries = `
  with recursive retrying as (
    (select stitch_id, next_attempt_at from webhook_deliveries
     where status = 'retrying' and stitch_id > $1 order by stitch_id, next_attempt_at limit 1)
    union all
    select d.stitch_id, d.next_attempt_at from retrying r, lateral (
      select stitch_id, next_attempt_at from webhook_deliveries
      where status = 'retrying' and stitch_id > r.stitch_id order by stitch_id, next_attempt_at limit 1) d
  )
  select stitch_id as "stitchId" from retrying where next_attempt_at < now() - interval '1 minute' limit $2`;

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
