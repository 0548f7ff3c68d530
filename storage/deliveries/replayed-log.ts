/** The part of the log in which a stitch has deliveries that were not attempted, for a replay: while it is read, they get their rows. */
import { matchesEventNames } from '../../protocol/events.ts';
import type { Queries, TenantScope } from '../database/index.ts';
import { deriveDeliveryId } from './subscriptions.ts';
import { eventColumns, type LogEvent, readSpans, toUnrecorded } from './unrecorded.ts';

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

/** Where a replay is among the rows, by their instants and then by their numbers. */
export interface RowPlace {
  /** ISO 8601. */
  readonly createdAt: string;
  /** The largest safe integer: everything of that instant is replayed. */
  readonly eventSeq: number;
}

/** What is left to read of the log. */
export interface LogPart extends Pick<OpenPart, 'after' | 'upto'> {
  /** Of deliveries with a row, those up to there are replayed. */
  readonly passed?: RowPlace | undefined;
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

// A scheduled delivery has the instant of its event, which names the partition. Of the days of these events alone: joined with a list of keys,
// the planner reckons with a look into each partition for each of them, and reads the whole table instead.
const selectStatuses = `
  select delivery_id as id, status from webhook_deliveries
  where delivery_id = any ($1::text[]) and created_at >= $2::timestamptz and created_at <= $3::timestamptz`;

/** The numbers of a project's log are dense, and those of one statement are so few that it may read all of them. */
const stretchNumbers = 1_000;
/** Among so many the next event of the span of time is looked for in the index alone, and in the partitions of its days. */
const searchedNumbers = 100_000;
/** Searches of a page, and stretches at most: then the page is short. */
const maxSearches = 20;

const isInSpan = `occurred_at >= $4::timestamptz and occurred_at < $5::timestamptz`;

const selectFirst = `
  select seq from events where project_id = $1 and seq > $2 and seq <= $3 and ${isInSpan} order by seq limit 1`;

const selectStretch = `
  select ${eventColumns} from events where project_id = $1 and seq > $2 and seq <= $3 and ${isInSpan} order by seq`;

export interface ReplayedLogPage {
  readonly events: readonly ReplayedEvent[];
  /** The event number up to which the log was read; undefined: all of that part. */
  readonly end: number | undefined;
}

/** Those of the next events whose deliveries are meant: by their rows as they are now, or by what the stitch follows. */
export async function readReplayedLog(
  db: Queries,
  filter: ReplayFilter,
  { after, upto, passed }: LogPart,
  limit: number,
): Promise<ReplayedLogPage> {
  const { sourceStitchId: stitchId, since, until } = filter;
  const [tenant] = await db.query<TenantScope>(selectTenant, [stitchId], 'deliveries.replay_tenant');
  if (tenant === undefined) return { events: [], end: undefined };
  // Before the rows: what is not among the spans any more has its row by then.
  const spans = await readSpans(db, tenant, stitchId);
  const isPassed = createPassedTest(passed);
  const isMeant = (event: LogEvent, rowStatus: string | undefined): boolean => {
    if (rowStatus !== undefined && isPassed(event)) return false;
    const status =
      rowStatus ??
      spans.map(span => toUnrecorded(tenant, span, event)).find(found => found !== undefined)?.delivery
        .status;
    return status !== undefined && (filter.statuses.length === 0 || filter.statuses.includes(status));
  };
  const events: LogEvent[] = [];
  let end = after;
  for (let search = 0; search < maxSearches && end < upto && events.length < limit; search++) {
    const searched = Math.min(upto, end + searchedNumbers);
    const [first] = await db.query<{ seq: number }>(
      selectFirst,
      [tenant.projectId, end, searched, since, until],
      'deliveries.replay_log_first',
    );
    end = first === undefined ? searched : Math.min(upto, first.seq + stretchNumbers - 1);
    if (first === undefined) continue;
    const log = await db.query<LogEvent>(
      selectStretch,
      [tenant.projectId, first.seq - 1, end, since, until],
      'deliveries.replay_log',
    );
    const candidates = log.filter(
      ({ environmentId, eventName }) =>
        environmentId === tenant.environmentId && matchesEventNames(filter.eventNames, eventName),
    );
    const rows = await readStatuses(db, stitchId, candidates);
    events.push(
      ...candidates.filter(event => isMeant(event, rows.get(deriveDeliveryId(event.eventId, stitchId)))),
    );
  }
  if (events.length > limit) end = events[limit - 1]?.seq ?? end;
  return { events: events.slice(0, limit).map(toReplayed), end: end < upto ? end : undefined };
}

function createPassedTest(passed: RowPlace | undefined): (event: LogEvent) => boolean {
  if (passed === undefined) return () => false;
  const passedAt = Date.parse(passed.createdAt);
  return ({ occurredAt, seq }) => {
    const at = occurredAt.getTime();
    return at < passedAt || (at === passedAt && seq <= passed.eventSeq);
  };
}

async function readStatuses(
  db: Queries,
  stitchId: string,
  events: readonly LogEvent[],
): Promise<ReadonlyMap<string, string>> {
  if (events.length === 0) return new Map();
  const instants = events.map(({ occurredAt }) => occurredAt.getTime());
  const values = [
    events.map(({ eventId }) => deriveDeliveryId(eventId, stitchId)),
    new Date(Math.min(...instants)),
    new Date(Math.max(...instants)),
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
