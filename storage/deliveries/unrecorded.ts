/**
 * Deliveries that have no row, as users read them: of events that a stitch has yet to send, and of those that it accepts no more. They
 * are derived from the log and the stitches' spans, under the ids that their rows will have.
 *
 * They are listed in the order of the log, which is that of their creation but for what was decided at once and committed in another order.
 */
import type { WebhookDelivery } from '../../protocol/resources/index.ts';
import type { Queries, TenantScope } from '../database/index.ts';
import { dropRecorded } from './followed-log.ts';
import { deriveDeliveryId, isWanted, type Span } from './subscriptions.ts';

/** A delivery, and where its event is in the log. */
export interface Unrecorded {
  readonly delivery: WebhookDelivery;
  readonly eventSeq: number;
  /** ISO 8601. */
  readonly eventAt: string;
}

export interface UnrecordedFilter extends TenantScope {
  readonly stitchId?: string | undefined;
  readonly status?: string | undefined;
  readonly eventName?: string | undefined;
  /** ISO 8601; from inclusive, to exclusive. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly deliveryIds?: readonly string[] | undefined;
}

/** A stretch of the log, from where it was read towards its end. */
export interface UnrecordedPage {
  readonly rows: readonly Unrecorded[];
  /** How far the log was read, and when that event occurred; undefined: to its end. */
  readonly end: { readonly seq: number; readonly at: string } | undefined;
}

export interface ReadSpan extends Span {
  readonly stitchId: string;
  /** Null while it is delivered. */
  readonly cancelledAt: Date | null;
  readonly inFlight: readonly string[];
  /** The number of the log's newest event then. */
  readonly head: number;
}

export interface LogEvent {
  readonly seq: number;
  readonly eventId: string;
  readonly eventName: string;
  readonly environmentId: string;
  readonly occurredAt: Date;
  readonly threadId: string | null;
  readonly exceptStitchId: string | null;
}

/**
 * Events of each statement of a page, of which most need the first alone. Where nothing is found the next ones look further: the row of a
 * stitch that wants little of what happens is some thousand events behind the head (behind.ts).
 */
const stretchEvents = [1_000, 3_500, 3_500] as const;
/** Deliveries that are looked for in the table at once. */
const maxCandidates = 2_000;

// Below what the stitch has settled there is nothing without a row; what was cancelled begins there.
const selectSpans = `
  select p.stitch_id as "stitchId", case when p.cancelled_at is null then greatest(p.after_seq, s.settled_seq) else p.after_seq end as after,
    p.upto_seq as upto, p.event_names as "eventNames", p.cancelled_at as "cancelledAt", p.in_flight as "inFlight", l.last_seq as head
  from stitch_spans p join stitches s on s.stitch_id = p.stitch_id and s.project_id = p.project_id
  join project_streams l on l.project_id = p.project_id
  where p.project_id = $1 and p.environment_id = $2 and ($3::text is null or p.stitch_id = $3)`;

/** What the stitches of the environment follow, or one of them: where deliveries without a row are. */
export function readSpans(
  db: Queries,
  { projectId, environmentId }: TenantScope,
  stitchId?: string,
): Promise<ReadSpan[]> {
  const values = [projectId, environmentId, stitchId ?? null];
  return db.query<ReadSpan>(selectSpans, values, 'deliveries.spans');
}

export const eventColumns = `
  seq, event_id as "eventId", event_name as "eventName", environment_id as "environmentId", occurred_at as "occurredAt",
  thread_id as "threadId", except_stitch_id as "exceptStitchId"`;

/** The deliveries of these events that have no row. */
async function findUnrecorded(
  db: Queries,
  tenant: TenantScope,
  spans: readonly ReadSpan[],
  events: readonly LogEvent[],
): Promise<Unrecorded[]> {
  const candidates = events.flatMap(event => spans.flatMap(span => toUnrecorded(tenant, span, event) ?? []));
  const open = await dropRecorded(
    db,
    candidates.map(each => ({ ...each, ...each.delivery })),
  );
  const ids = new Set(open.map(({ deliveryId }) => deliveryId));
  return candidates.filter(({ delivery }) => ids.has(delivery.deliveryId));
}

/** The delivery of the event, where the span has it and there is no row. */
export function toUnrecorded(tenant: TenantScope, span: ReadSpan, event: LogEvent): Unrecorded | undefined {
  const { stitchId, cancelledAt, inFlight } = span;
  const { projectId, environmentId } = tenant;
  if (!isWanted({ stitchId, environmentId, spans: [span] }, event)) return undefined;
  const deliveryId = deriveDeliveryId(event.eventId, stitchId);
  const at = event.occurredAt.toISOString();
  const isPending = cancelledAt === null || inFlight.includes(deliveryId);
  const delivery: WebhookDelivery = {
    deliveryId,
    projectId,
    environmentId,
    stitchId,
    eventId: event.eventId,
    eventName: event.eventName,
    threadId: event.threadId,
    trigger: 'scheduled',
    status: isPending ? 'pending' : 'cancelled',
    attemptCount: 0,
    responseStatus: null,
    lastError: null,
    lastAttemptAt: null,
    nextAttemptAt: isPending ? at : null,
    createdAt: at,
    updatedAt: isPending ? at : cancelledAt.toISOString(),
  };
  return { delivery, eventSeq: event.seq, eventAt: at };
}

// By the bound at which it begins alone: by two, of which it knows nothing, the planner expects few events, and reads and sorts all between.
const selectStretch = {
  asc: `select ${eventColumns} from events where project_id = $1 and seq > $2 order by seq limit $3`,
  desc: `select ${eventColumns} from events where project_id = $1 and seq < $2 order by seq desc limit $3`,
} as const;

/**
 * The next deliveries without a row that fit, up the log or down from its end.
 *
 * @param from the event number where the previous page ended; exclusive
 */
export async function unrecordedPage(
  db: Queries,
  filter: UnrecordedFilter,
  order: 'asc' | 'desc',
  from: number | undefined,
  limit: number,
): Promise<UnrecordedPage> {
  const all = await readSpans(db, filter, filter.stitchId);
  // What was cancelled may reach back for weeks.
  const spans = filter.status === 'pending' ? all.filter(mayBePending) : all;
  const lowest = Math.min(...spans.map(({ after }) => after));
  const highest = Math.max(0, ...spans.map(({ upto, head }) => (upto ?? head) + 1));
  const rows: Unrecorded[] = [];
  let end: UnrecordedPage['end'];
  let place = from;
  for (const length of stretchEvents) {
    const above = order === 'asc' ? Math.max(lowest, place ?? 0) : lowest;
    const below = order === 'desc' ? Math.min(highest, place ?? Infinity) : highest;
    if (above + 1 >= below) return { rows, end: undefined };
    const range = { spans, order, above, below, length };
    const found = await readRange(db, filter, range, limit - rows.length);
    rows.push(...found.rows);
    ({ end } = found);
    if (end === undefined || rows.length >= limit) break;
    place = end.seq;
  }
  return { rows, end };
}

interface LogRange {
  readonly spans: readonly ReadSpan[];
  readonly order: 'asc' | 'desc';
  /** Exclusive, both. */
  readonly above: number;
  readonly below: number;
  /** Events that are read at most. */
  readonly length: number;
}

async function readRange(
  db: Queries,
  filter: UnrecordedFilter,
  { spans, order, above, below, length }: LogRange,
  limit: number,
): Promise<UnrecordedPage> {
  const size = Math.min(length, below - above - 1);
  const values = [filter.projectId, order === 'asc' ? above : below, size];
  const read = await db.query<LogEvent>(selectStretch[order], values, `deliveries.stretch_${order}`);
  // Where numbers are missing it reads on beyond the other bound.
  const events = read.filter(({ seq }) => seq > above && seq < below);
  const fits = createTest(filter);
  const wanting = events.filter(event => event.environmentId === filter.environmentId && fits(event));
  const step = Math.max(1, Math.floor(maxCandidates / Math.max(1, spans.length)));
  const rows: Unrecorded[] = [];
  let looked = 0;
  // Most have a row: only those that do not fill the page.
  while (looked < wanting.length && looked < maxCandidates && rows.length < limit) {
    const found = await findUnrecorded(db, filter, spans, wanting.slice(looked, (looked += step)));
    rows.push(...found.filter(({ delivery }) => isListed(filter, delivery)));
  }
  const last = looked < wanting.length ? wanting[looked - 1] : events.at(-1);
  const isWhole = looked >= wanting.length && (size < length || events.length < length);
  const end =
    isWhole || last === undefined ? undefined : { seq: last.seq, at: last.occurredAt.toISOString() };
  return { rows, end };
}

function mayBePending({ cancelledAt, inFlight }: ReadSpan): boolean {
  return cancelledAt === null || inFlight.length > 0;
}

function createTest({ eventName, since, until }: UnrecordedFilter): (event: LogEvent) => boolean {
  const from = since === undefined ? -Infinity : Date.parse(since);
  const to = until === undefined ? Infinity : Date.parse(until);
  return event =>
    (eventName === undefined || event.eventName === eventName) &&
    event.occurredAt.getTime() >= from &&
    event.occurredAt.getTime() < to;
}

function isListed({ status, deliveryIds }: UnrecordedFilter, delivery: WebhookDelivery): boolean {
  return (
    (status === undefined || delivery.status === status) &&
    (deliveryIds === undefined || deliveryIds.includes(delivery.deliveryId))
  );
}

/** Of these events, in their order; of those that occurred between these instants, if they are given. */
export async function unrecordedOfEvents(
  db: Queries,
  tenant: TenantScope,
  eventIds: readonly string[],
  after: Date | null = null,
  before: Date | null = null,
): Promise<Unrecorded[]> {
  const [spans, events] = await Promise.all([
    readSpans(db, tenant),
    db.query<LogEvent>(
      `select ${eventColumns} from events
       where event_id = any ($1::text[]) and project_id = $2 and environment_id = $3
         and occurred_at > coalesce($4, '-infinity'::timestamptz) and occurred_at < coalesce($5, 'infinity'::timestamptz) order by seq`,
      [eventIds, tenant.projectId, tenant.environmentId, after, before],
      'deliveries.of_events',
    ),
  ]);
  return findUnrecorded(db, tenant, spans, events);
}

/** The id of a delivery, and instants around the one that it contains: few partitions have to be read. */
export type DeliveryKey = readonly [deliveryId: string, after: Date, before: Date];

// The id of a delivery begins with the time of its event, as the event's does.
const selectCandidates = `
  select e.project_id as "projectId", e.environment_id as "environmentId", s.stitch_id as "stitchId", e.event_id as "eventId"
  from events e join stitches s on s.project_id = e.project_id and s.environment_id = e.environment_id
  where e.event_id >= 'evt_' || substr($1, 5, 10) and e.event_id < 'evt_' || substr($1, 5, 10) || '{'
    and e.occurred_at > $2 and e.occurred_at < $3
    and skein_delivery_id(e.event_id, s.stitch_id) = $1`;

/** The delivery with that id and made between these instants, if it has no row; whose it is must be checked. */
export async function unrecordedById(
  db: Queries,
  [deliveryId, after, before]: DeliveryKey,
): Promise<(Unrecorded & { readonly tenant: TenantScope }) | undefined> {
  const [found] = await db.query<TenantScope & { readonly eventId: string }>(
    selectCandidates,
    [deliveryId, after, before],
    'deliveries.by_id',
  );
  if (found === undefined) return undefined;
  const { projectId, environmentId, eventId } = found;
  const tenant = { projectId, environmentId };
  const unrecorded = await unrecordedOfEvents(db, tenant, [eventId], after, before);
  const own = unrecorded.find(({ delivery }) => delivery.deliveryId === deliveryId);
  return own && { ...own, tenant };
}
