/**
 * Replays of past deliveries: of a stitch's scheduled ones in a span of time, each once and in the order of each thread, whatever becomes of
 * them meanwhile.
 *
 * While a replay goes on, deliveries get their rows. So it does not look for rows first and for what has none afterwards: what had none
 * then, and has one now, would be in neither. When it begins, it notes in which part of the log deliveries may get rows: those that are open
 * and were not attempted. Below and beyond that part nothing changes.
 *
 *   rows below -> log -> rows beyond    of the log each event, by its row or by what the stitch follows
 *
 * Whoever wants neither what is open nor what was cancelled wants only what had its row when the replay began, and no log is read.
 *
 * A place is read by nodes of other versions, too, while a cluster is upgraded. One from before there was `open` went through all rows first,
 * by their instants, and then through the log, of which it took what had no row. Its place is gone on from without what it has made, and it
 * reads no place of this version as one before what has been made; it may leave out what is recorded meanwhile.
 */
import type { Queries } from '../database/index.ts';
import {
  type OpenPart,
  readOpenPart,
  readReplayedLog,
  type ReplayedEvent,
  type ReplayFilter,
  type RowPlace,
} from './replayed-log.ts';
import { matchesNames } from './subscriptions.ts';

/** What to replay of a stitch. */
export interface ReplaySource extends ReplayFilter {
  /** The last delivery of the source that has been replayed; null before the first. */
  readonly after: ReplayPlace | null;
}

export interface ReplayPlace extends RowPlace {
  /** `eventSeq` is how far the log was read. */
  readonly inLog?: true;
  /**
   * Of the rows beyond that part of the log. `inLog` is set, too: a node from before there was `open` finds nothing that has no row there, and
   * ends the replay, where it would begin it anew otherwise.
   */
  readonly isBeyond?: true;
  /** Absent where a node of an earlier version wrote it. */
  readonly open?: OpenPart;
  /** Such a node has replayed the rows up to there, whatever their numbers. */
  readonly passed?: RowPlace;
}

/** A place of this version. */
type KnownPlace = ReplayPlace & Required<Pick<ReplayPlace, 'open'>>;

/** A page of a replay. */
export interface ReplayEvents {
  readonly events: readonly ReplayedEvent[];
  /** Where the next page begins; null: this was the last. */
  readonly next: ReplayPlace | null;
}

/** Rows of the environment, of whichever stitch, that one statement looks at, and statements of a page: then the page is short. */
const stretchRows = 1_000;
const maxStretches = 10;

/** The event number in a place up to which everything of its instant is replayed. */
const wholeInstant = Number.MAX_SAFE_INTEGER;

/** What a delivery may be that has no row. */
const unrecordedStatuses: readonly string[] = ['pending', 'cancelled'];

/** The next events of a replay, oldest first. A page may be empty although more follow. */
export async function replayEvents(db: Queries, source: ReplaySource, limit: number): Promise<ReplayEvents> {
  const place = source.after?.open === undefined ? await findPlace(db, source) : source.after;
  if (place?.open === undefined) return { events: [], next: null };
  const { open, passed, isBeyond } = place;
  const kept = { open, ...(passed === undefined ? {} : { passed }) };
  const beyond = open.upto < open.head ? { ...getBeyond(source, open, passed), ...kept } : null;
  if (place.inLog === true && isBeyond !== true) {
    const part = { after: place.eventSeq, upto: open.upto, passed };
    const { events, end } = await readReplayedLog(db, source, part, limit);
    if (end === undefined) return { events, next: beyond };
    const createdAt = events.at(-1)?.createdAt ?? place.createdAt;
    return { events, next: { createdAt, eventSeq: end, inLog: true, ...kept } };
  }
  const range = isBeyond === true ? { above: open.upto, upto: open.head } : { above: 0, upto: open.after };
  const { events, end } = await readRows(db, { ...source, place }, range, limit);
  if (end !== undefined) return { events, next: { ...place, ...end } };
  if (isBeyond === true) return { events, next: null };
  const inLog: ReplayPlace = { createdAt: source.since, eventSeq: open.after, inLog: true, ...kept };
  return { events, next: open.after < open.upto ? inLog : beyond };
}

/** Where a replay begins, or goes on that an earlier version has begun. Undefined: the stitch has nothing. */
async function findPlace(db: Queries, source: ReplaySource): Promise<KnownPlace | undefined> {
  const { sourceStitchId, since, until, statuses, after } = source;
  const found = await readOpenPart(db, sourceStitchId);
  if (found === undefined) return undefined;
  const { head } = found;
  const mayHaveNoRow = statuses.length === 0 || statuses.some(status => unrecordedStatuses.includes(status));
  const open = mayHaveNoRow ? found : { after: head, upto: head, head };
  if (after === null) return { createdAt: since, eventSeq: 0, open };
  if (after.inLog === true) {
    const eventSeq = Math.max(after.eventSeq, open.after);
    return { ...after, eventSeq, open, passed: { createdAt: until, eventSeq: wholeInstant } };
  }
  const { createdAt, eventSeq } = after;
  return { createdAt, eventSeq, open, passed: { createdAt, eventSeq } };
}

/** No row beyond the open part has a number up to there. */
function getBeyond(
  { since }: ReplaySource,
  { upto }: OpenPart,
  passed: RowPlace | undefined,
): Pick<ReplayPlace, 'createdAt' | 'eventSeq' | 'inLog' | 'isBeyond'> {
  const createdAt = passed?.createdAt ?? since;
  return { createdAt, eventSeq: Math.max(upto, passed?.eventSeq ?? 0), inLog: true, isBeyond: true };
}

/** Event numbers: `above` exclusive, `upto` inclusive. */
interface SeqRange {
  readonly above: number;
  readonly upto: number;
}

interface RowsSource extends ReplaySource {
  readonly place: RowPlace;
}

interface RowsPage {
  readonly events: readonly ReplayedEvent[];
  /** Undefined: there are no more. */
  readonly end: RowPlace | undefined;
}

/** The next deliveries with a row. */
async function readRows(db: Queries, source: RowsSource, range: SeqRange, limit: number): Promise<RowsPage> {
  const { statuses } = source;
  if (statuses.length === 1 && statuses[0] === 'failed') {
    const events = await readFailed(db, source, range, limit);
    return { events, end: getEnd(events, limit) };
  }
  const events: ReplayedEvent[] = [];
  let { place } = source;
  for (let stretch = 0; stretch < maxStretches; stretch++) {
    const { found, lastAt } = await readStretch(db, { ...source, place }, range, limit - events.length);
    events.push(...found);
    const end = getEnd(events, limit);
    if (end !== undefined || lastAt === undefined) return { events, end };
    // All of that instant are in the stretch.
    place = { createdAt: lastAt, eventSeq: wholeInstant };
  }
  return { events, end: place };
}

/** Undefined where the page is not full. */
function getEnd(events: readonly ReplayedEvent[], limit: number): RowsPage['end'] {
  const last = events[limit - 1];
  return last && { createdAt: last.createdAt, eventSeq: last.eventSeq };
}

// Where a stretch ends: by an index, in its order. Null where less is left. An instant may have more rows than a stretch: what lies behind one
// that is done begins after it.
const selectStretchEnd = (begins: '>=' | '>'): string => `
  select (
    select d.created_at from webhook_deliveries d
    where d.project_id = s.project_id and d.environment_id = s.environment_id and d.created_at ${begins} $2::timestamptz and d.created_at < $3::timestamptz
    order by d.created_at offset ${stretchRows - 1} limit 1) as "lastAt"
  from stitches s where s.stitch_id = $1`;
const stretchEnds = {
  from: { name: 'deliveries.replay_stretch', text: selectStretchEnd('>=') },
  behind: { name: 'deliveries.replay_stretch_behind', text: selectStretchEnd('>') },
};

const columns = `
  d.created_at as "createdAt", d.event_id as "eventId", d.event_seq as "eventSeq", d.event_name as "eventName",
  d.event_at as "eventAt", d.thread_id as "threadId"`;

// Scheduled deliveries only: to replay a replay would send an event twice. By time and then by number, which is the order within each thread.
const isMeant = `
  d.project_id = s.project_id and d.environment_id = s.environment_id and d.stitch_id = s.stitch_id and d.trigger = 'scheduled'
  and d.created_at >= $2::timestamptz and (d.created_at, d.event_seq) > ($2, $3::bigint) and d.created_at < $4::timestamptz
  and d.event_seq > $5 and d.event_seq <= $6 and ${matchesNames('$7::text[]', 'd.event_name')}`;

// No index has that order, so that all of the stretch are read and sorted; `$9` is its end.
const selectStretch = `
  select ${columns} from stitches s join webhook_deliveries d on ${isMeant}
  where s.stitch_id = $1 and d.created_at <= $9::timestamptz and (cardinality($10::text[]) = 0 or d.status = any ($10))
  order by d.created_at, d.event_seq limit $8`;

// The index of what has failed has it. Of the stitch's row by itself: joined with it, all that has failed in the span is read and sorted.
const selectFailed = `
  select d.* from stitches s cross join lateral (
    select ${columns} from webhook_deliveries d where ${isMeant} and d.status = 'failed' order by d.created_at, d.event_seq limit $8
  ) d
  where s.stitch_id = $1 order by "createdAt", "eventSeq"`;

interface FoundRow extends Omit<ReplayedEvent, 'createdAt' | 'eventAt'> {
  readonly createdAt: Date;
  readonly eventAt: Date;
}

function toValues(
  { sourceStitchId, until, eventNames, place }: RowsSource,
  { above, upto }: SeqRange,
  limit: number,
): unknown[] {
  return [sourceStitchId, place.createdAt, place.eventSeq, until, above, upto, eventNames, limit];
}

function toReplayed(rows: readonly FoundRow[]): ReplayedEvent[] {
  return rows.map(row => ({
    ...row,
    createdAt: row.createdAt.toISOString(),
    eventAt: row.eventAt.toISOString(),
  }));
}

async function readFailed(
  db: Queries,
  source: RowsSource,
  range: SeqRange,
  limit: number,
): Promise<ReplayedEvent[]> {
  const values = toValues(source, range, limit);
  return toReplayed(await db.query<FoundRow>(selectFailed, values, 'deliveries.replay_failed'));
}

/** The next deliveries with a row, as far as the next stretch has them. */
async function readStretch(
  db: Queries,
  source: RowsSource,
  range: SeqRange,
  limit: number,
): Promise<{ readonly found: readonly ReplayedEvent[]; readonly lastAt: string | undefined }> {
  const { sourceStitchId, until, statuses, place } = source;
  // First, so that whatever is dropped or recorded meanwhile is not beyond the end that the rows are read up to.
  const { name, text } = place.eventSeq === wholeInstant ? stretchEnds.behind : stretchEnds.from;
  const [end] = await db.query<{ lastAt: Date | null }>(text, [sourceStitchId, place.createdAt, until], name);
  if (end === undefined) return { found: [], lastAt: undefined };
  const values = [...toValues(source, range, limit), end.lastAt ?? until, statuses];
  const rows = await db.query<FoundRow>(selectStretch, values, 'deliveries.replay');
  return { found: toReplayed(rows), lastAt: end.lastAt?.toISOString() };
}
