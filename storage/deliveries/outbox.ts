/**
 * What a stitch has to send and has a row for: replays and tests, what a node of an earlier version has left, and what is to be tried again.
 * One statement serves every stitch that asks in one turn of the node's event loop. Every statement begins at the stitch's row, which
 * names the tenant that the deliveries must have.
 */
import type { DeliveryTrigger } from '../../protocol/resources/index.ts';
import type { Queries } from '../database/index.ts';

/** An open delivery, without its body. */
export interface OpenDelivery {
  readonly deliveryId: string;
  /** ISO 8601, to the millisecond: part of the row's key. */
  readonly createdAt: string;
  readonly eventId: string;
  readonly eventSeq: number;
  readonly eventName: string;
  /** ISO 8601: finds the event's body together with `eventSeq`. */
  readonly eventAt: string;
  readonly threadId: string | null;
  readonly trigger: DeliveryTrigger;
  /** Attempts made so far. */
  readonly attempts: number;
  /** Epoch milliseconds; null before the first attempt. */
  readonly firstAttemptAt: number | null;
  /** A scheduled delivery has none before its first attempt has ended. */
  readonly hasRow: boolean;
  /** W3C Trace Context of what made the event; absent where that is not kept. */
  readonly traceparent?: string;
}

export interface PendingRequest {
  readonly stitchId: string;
  /** The lowest event number. */
  readonly from: number;
  /** Threads to leave out. */
  readonly blocked: readonly string[];
  readonly limit: number;
}

export interface PendingPage {
  readonly stitchId: string;
  readonly deliveries: readonly OpenDelivery[];
  /** The bodies of the first deliveries by their ids, as many as the limit of bytes allows. */
  readonly bodies: ReadonlyMap<string, string>;
  /** Whatever follows has at least this event number. */
  readonly end: number;
  readonly more: boolean;
}

interface OpenRow extends Omit<OpenDelivery, 'firstAttemptAt' | 'hasRow' | 'traceparent'> {
  readonly stitchId: string;
  readonly firstAttemptAt: Date | null;
  readonly body: string | null;
  /** Only where the event is read as well. */
  readonly traceparent?: string | null;
}

// Both instants as the server's text: a Date and then a text of each cost 2 microseconds more per row.
const columns = `
  d.delivery_id as "deliveryId", (d.created_at at time zone 'UTC')::text as "createdAt", d.event_id as "eventId",
  d.event_seq as "eventSeq", d.event_name as "eventName", (d.event_at at time zone 'UTC')::text as "eventAt",
  d.thread_id as "threadId", d.trigger, d.attempt_count as attempts`;

/** Whether a delivery `d` belongs to the stitch `s`. */
const belongs =
  'd.stitch_id = s.stitch_id and d.project_id = s.project_id and d.environment_id = s.environment_id';

/** The most rows in a page, of each stitch. The planner takes a limit that is no constant for a tenth of all rows, and would sort them all. */
const maxPage = 256;

// With ties, so that a page never ends between two deliveries of one event. The running total bounds the bytes that are sent. The event is
// looked for by itself, row by row: the planner expects many stitches and rows, and would read the whole log to join it.
const selectPending = `
  select q.stitch_id as "stitchId", ${columns}, null as "firstAttemptAt", e.traceparent,
    case when sum(octet_length(e.body::text)) over (order by q.n, d.event_seq, d.delivery_id) <= $2 then e.body end as body
  from rows from (json_to_recordset($1::json) as (stitch_id text, "from" bigint, blocked text[], "limit" int)) with ordinality
    as q(stitch_id, "from", blocked, "limit", n)
  join stitches s on s.stitch_id = q.stitch_id
  cross join lateral (
    select * from (
      select * from webhook_deliveries d
      where ${belongs} and d.status = 'pending' and d.event_seq >= q."from"
        and (d.thread_id is null or d.thread_id <> all (q.blocked))
      order by d.event_seq fetch first ${maxPage} rows with ties
    ) page
    order by event_seq fetch first (q."limit") rows with ties
  ) d
  left join lateral (
    select body, traceparent from events e
    where e.project_id = d.project_id and e.environment_id = d.environment_id and e.seq = d.event_seq and e.occurred_at = d.event_at
    limit 1
  ) e on true
  order by q.n, d.event_seq, d.delivery_id`;

/** The pending deliveries of several stitches, each in the order of its events. `maxBytes` bounds all bodies together. */
export async function pendingDeliveries(
  db: Queries,
  requests: readonly PendingRequest[],
  maxBytes: number,
): Promise<PendingPage[]> {
  const asked = requests.map(({ stitchId, ...rest }) => ({ stitch_id: stitchId, ...rest }));
  const rows = await db.query<OpenRow>(
    selectPending,
    [JSON.stringify(asked), maxBytes],
    'deliveries.pending',
  );
  const byStitch = new Map(requests.map(({ stitchId }) => [stitchId, [] as OpenRow[]]));
  for (const row of rows) byStitch.get(row.stitchId)?.push(row);
  return requests.map(({ stitchId, from, limit }) => {
    const own = byStitch.get(stitchId) ?? [];
    const last = own.at(-1);
    return {
      stitchId,
      deliveries: own.map(toDelivery),
      bodies: new Map(own.flatMap(({ deliveryId, body }) => (body === null ? [] : [[deliveryId, body]]))),
      end: last === undefined ? from : last.eventSeq + 1,
      more: own.length >= Math.min(limit, maxPage),
    };
  });
}

const selectScheduled = `
  select s.has_old_rows and exists (
    select from webhook_deliveries d where ${belongs} and d.status = 'pending' and d.trigger = 'scheduled'
  ) as found
  from stitches s where s.stitch_id = $1`;

/**
 * Whether the stitch has pending rows of scheduled deliveries: from before stitches followed the log. They come before what is in the log.
 * Nobody writes such rows any more, and the row of the stitch says whether it had any when that began: to look would be to read all its replays.
 */
export async function hasScheduledRows(db: Queries, stitchId: string): Promise<boolean> {
  const [row] = await db.query<{ found: boolean }>(selectScheduled, [stitchId], 'deliveries.scheduled');
  return row?.found ?? false;
}

/** ISO 8601 from the server's text of an instant in UTC, which has no zeros at its end: `2026-11-20 10:33:58.12`. */
function toIso(text: string): string {
  const time = text.slice(11);
  return `${text.slice(0, 10)}T${time.length === 8 ? `${time}.000` : time.padEnd(12, '0')}Z`;
}

function toDelivery(row: OpenRow): OpenDelivery {
  return {
    deliveryId: row.deliveryId,
    createdAt: toIso(row.createdAt),
    eventId: row.eventId,
    eventSeq: row.eventSeq,
    eventName: row.eventName,
    eventAt: toIso(row.eventAt),
    threadId: row.threadId,
    trigger: row.trigger,
    attempts: row.attempts,
    firstAttemptAt: row.firstAttemptAt?.getTime() ?? null,
    hasRow: true,
    ...(typeof row.traceparent === 'string' && { traceparent: row.traceparent }),
  };
}

/** In the days from then to the last attempt. The instants are from the clocks of several nodes, which may differ. */
const firstAttempt = (since: string): string => `
  (select min(a.attempted_at) from webhook_attempts a
   where a.delivery_id = d.delivery_id and a.project_id = d.project_id and a.number = 1
     and a.attempted_at >= ${since} - interval '1 hour' and a.attempted_at <= d.last_attempt_at + interval '1 hour')`;

// Of the stitch's row by itself: joined with it, all retries are read and sorted.
const selectDue = `
  select d.stitch_id as "stitchId", ${columns}, ${firstAttempt('d.created_at')} as "firstAttemptAt", null as body
  from stitches s cross join lateral (
    select * from webhook_deliveries d
    where ${belongs} and d.status = 'retrying' and d.next_attempt_at <= $2
    order by d.next_attempt_at limit ${maxPage}
  ) d
  where s.stitch_id = $1 order by d.next_attempt_at limit $3`;

/** The retries that are due at `now` (epoch milliseconds), the most overdue first; 256 at most. */
export async function dueDeliveries(
  db: Queries,
  stitchId: string,
  now: number,
  limit: number,
): Promise<OpenDelivery[]> {
  const rows = await db.query<OpenRow>(selectDue, [stitchId, new Date(now), limit], 'deliveries.due');
  return rows.map(toDelivery);
}

const selectNextDue = `
  select d.at from stitches s cross join lateral (
    select d.next_attempt_at as at from webhook_deliveries d
    where ${belongs} and d.status = 'retrying' and d.next_attempt_at > $2
    order by d.next_attempt_at limit 1
  ) d
  where s.stitch_id = $1`;

/** When the next retry is due after `now`: epoch milliseconds, or null. */
export async function nextDueAt(db: Queries, stitchId: string, now: number): Promise<number | null> {
  const [row] = await db.query<{ at: Date | null }>(
    selectNextDue,
    [stitchId, new Date(now)],
    'deliveries.next_due',
  );
  return row?.at?.getTime() ?? null;
}

/** The most heads of one thread that are asked for. */
const headsOfThread = 256;

// A retry is due later than it was attempted, so that the index finds those between the two instants. The clock of the node that has set the
// retry may be ahead of this one's, by 20 minutes here: a head that is missed is overtaken, and some that are not heads cost little. An index
// of the last attempt would cost each retry: a receiver that has refused everything for days (332,000 retries) has some 900 heads, found in 41 ms
// of processor time without it, and in 31 with it.
//
// Of one event several deliveries may have failed, it and its replays: whoever had the stitch waits until the end of the one that began last.
// Replays of earlier events, one after the other, are not held back by each other: so what is known of a thread is bounded, and so are all
// together. First comes the earliest event of each thread, which alone keeps back all others.
const selectFailedHeads = `
  select "threadId", seq, latest as "firstAttemptAt" from (
    select heads.*, dense_rank() over (order by first, "threadId") as place from (
      select "threadId", seq, max("firstAttemptAt") as latest, min(seq) over (partition by "threadId") as first,
        row_number() over (partition by "threadId" order by seq) as nth
      from (
        select d.thread_id as "threadId", d.event_seq as seq, ${firstAttempt('greatest(d.created_at, $2)')} as "firstAttemptAt"
        from stitches s join webhook_deliveries d on ${belongs}
        where s.stitch_id = $1 and d.status = 'retrying' and d.thread_id is not null and d.last_attempt_at > $2
          and d.next_attempt_at > $2 and d.next_attempt_at <= $3::timestamptz + interval '20 minutes'
      ) retries
      where "firstAttemptAt" > $2
      group by "threadId", seq
    ) heads
  ) heads
  where place <= $4 and nth <= ${headsOfThread} order by nth, seq limit 2 * $4`;

export interface FailedHead {
  readonly threadId: string;
  readonly seq: number;
  /** Epoch milliseconds; of several deliveries of the event the latest. */
  readonly firstAttemptAt: number;
}

/** When a head was attempted and is due, in epoch milliseconds. */
export interface HeadTimes {
  /** Its first attempt is later. */
  readonly since: number;
  /** Its next one is no later. */
  readonly dueUntil: number;
}

/**
 * Events with deliveries that wait for a retry and have these times, each once. Of so many threads at most, those with the earliest events: of a
 * thread there may be several, a head and the replays of what comes before it, and whoever bounds what is held counts threads. Of one thread
 * `headsOfThread` at most, and of all together twice the number of threads: those with the earliest events of their threads.
 */
export async function failedHeads(
  db: Queries,
  stitchId: string,
  { since, dueUntil }: HeadTimes,
  threads: number,
): Promise<FailedHead[]> {
  const rows = await db.query<{ threadId: string; seq: number; firstAttemptAt: Date }>(
    selectFailedHeads,
    [stitchId, new Date(since), new Date(dueUntil), threads],
    'deliveries.heads',
  );
  return rows.map(row => ({ ...row, firstAttemptAt: row.firstAttemptAt.getTime() }));
}

/** The key of an event's body. */
export interface BodyKey {
  readonly projectId: string;
  readonly eventSeq: number;
  readonly eventAt: string;
}

/** The exact text of an event, and the trace that it was made in, where that is kept. */
export interface EventBody {
  readonly body: string;
  readonly traceparent: string | null;
}

const selectBodies = `
  select k.n, e.body, e.traceparent from unnest($1::text[], $2::bigint[], $3::timestamptz[]) with ordinality as k(project_id, seq, at, n)
  join events e on e.project_id = k.project_id and e.seq = k.seq and e.occurred_at = k.at`;

/** Events, in the order of the keys; undefined for one that is no longer kept. */
export async function eventBodies(db: Queries, keys: readonly BodyKey[]): Promise<(EventBody | undefined)[]> {
  const rows = await db.query<EventBody & { readonly n: number }>(
    selectBodies,
    [keys.map(key => key.projectId), keys.map(key => key.eventSeq), keys.map(key => key.eventAt)],
    'deliveries.bodies',
  );
  const bodies = new Map(rows.map(({ n, ...body }) => [n, body]));
  return keys.map((_, index) => bodies.get(index + 1));
}
