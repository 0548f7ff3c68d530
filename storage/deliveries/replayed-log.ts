/** The part of the log in which a stitch has deliveries that were not attempted, for a replay: while it is read, they get their rows. */
import { matchesEventNames } from '../../protocol/events.ts';
import type { Queries, TenantScope } from '../database/index.ts';
import { deriveDeliveryId } from './subscriptions.ts';
import { type LogEvent, readSpans, readStretchUp, toUnrecorded } from './unrecorded.ts';

/** Which scheduled deliveries of a stitch are meant. */
export interface ReplayFilter {
  readonly sourceStitchId: string;
  /** ISO 8601; from inclusive, to exclusive. */
  readonly since: string;
  readonly until: string;
  /** Names and patterns; empty: all. */
  readonly eventNames: readonly string[];
  /** What a delivery may be when it is read; empty: anything. */
  readonly statuses: readonly string[];
}

export interface ReplayedEvent {
  readonly createdAt: string;
  readonly eventId: string;
  readonly eventSeq: number;
  readonly eventName: string;
  readonly eventAt: string;
  readonly threadId: string | null;
}

/** Event numbers. Of the events up to `after`, and of those beyond `upto`, no delivery gets its row any more. */
export interface OpenPart {
  /** Exclusive. */
  readonly after: number;
  /** Inclusive. Where it is not more than `after` there is no such part. */
  readonly upto: number;
  /** The newest event then. What comes later is none of the replay's. */
  readonly head: number;
}

// What a stitch has settled has its row, and so has what it wanted before its spans, or it has none for ever. Of one statement, so that all
// three are of one instant.
const selectOpenPart = `
  select p.last_seq as head, coalesce(spans.after, p.last_seq) as after, coalesce(spans.upto, p.last_seq) as upto
  from stitches s join project_streams p on p.project_id = s.project_id cross join lateral (
    select min(case when cancelled_at is null then greatest(after_seq, s.settled_seq) else after_seq end) as after,
      max(coalesce(upto_seq, p.last_seq)) as upto
    from stitch_spans where stitch_id = s.stitch_id
  ) spans
  where s.stitch_id = $1`;

/** Undefined: there is no such stitch, or nothing has happened in its project. */
export async function readOpenPart(db: Queries, stitchId: string): Promise<OpenPart | undefined> {
  const [part] = await db.query<OpenPart>(selectOpenPart, [stitchId], 'deliveries.open_part');
  return part;
}

const selectTenant = `
  select project_id as "projectId", environment_id as "environmentId" from stitches where stitch_id = $1`;

// The instants are part of the key, and name the partition.
const selectStatuses = `
  select d.delivery_id as id, d.status from unnest($1::text[], $2::timestamptz[]) as k(id, at)
  join webhook_deliveries d on d.delivery_id = k.id and d.created_at = k.at`;

/** Events that a page looks at. */
const pageEvents = 1_000;

export interface ReplayedLogPage {
  readonly events: readonly ReplayedEvent[];
  /** The event number up to which the log was read; undefined: all of that part. */
  readonly end: number | undefined;
}

/** Those of the next events whose deliveries are meant: by their rows as they are now, or by what the stitch follows. */
export async function readReplayedLog(
  db: Queries,
  filter: ReplayFilter,
  { after, upto }: Pick<OpenPart, 'after' | 'upto'>,
  limit: number,
): Promise<ReplayedLogPage> {
  const { sourceStitchId: stitchId, statuses } = filter;
  const [tenant] = await db.query<TenantScope>(selectTenant, [stitchId], 'deliveries.replay_tenant');
  if (tenant === undefined) return { events: [], end: undefined };
  // Before the rows: what is not among the spans any more has its row by then.
  const spans = await readSpans(db, tenant, stitchId);
  const log = await readStretchUp(db, tenant.projectId, {
    above: after,
    below: upto + 1,
    length: pageEvents,
  });
  const candidates = log.filter(createTest(tenant, filter));
  const rows = await readStatuses(db, stitchId, candidates);
  const getStatus = (event: LogEvent): string | undefined =>
    rows.get(deriveDeliveryId(event.eventId, stitchId)) ??
    spans.map(span => toUnrecorded(tenant, span, event)).find(found => found !== undefined)?.delivery.status;
  const events = candidates.filter(event => {
    const status = getStatus(event);
    return status !== undefined && (statuses.length === 0 || statuses.includes(status));
  });
  const last = events.length > limit ? events[limit - 1] : log[pageEvents - 1];
  return { events: events.slice(0, limit).map(toReplayed), end: last?.seq };
}

function createTest(
  { environmentId }: TenantScope,
  { since, until, eventNames }: ReplayFilter,
): (event: LogEvent) => boolean {
  const [from, to] = [Date.parse(since), Date.parse(until)];
  return event =>
    event.environmentId === environmentId &&
    event.occurredAt.getTime() >= from &&
    event.occurredAt.getTime() < to &&
    matchesEventNames(eventNames, event.eventName);
}

async function readStatuses(
  db: Queries,
  stitchId: string,
  events: readonly LogEvent[],
): Promise<ReadonlyMap<string, string>> {
  if (events.length === 0) return new Map();
  const values = [
    events.map(({ eventId }) => deriveDeliveryId(eventId, stitchId)),
    events.map(({ occurredAt }) => occurredAt),
  ];
  const rows = await db.query<{ id: string; status: string }>(
    selectStatuses,
    values,
    'deliveries.replay_statuses',
  );
  return new Map(rows.map(({ id, status }) => [id, status]));
}

function toReplayed({ seq, eventId, eventName, occurredAt, threadId }: LogEvent): ReplayedEvent {
  const at = occurredAt.toISOString();
  return { createdAt: at, eventId, eventSeq: seq, eventName, eventAt: at, threadId };
}
