/** Reads of webhook deliveries for their audit and their replay, and of which stitches have work. */
import { instantOf } from '../../protocol/ids.ts';
import type { WebhookDelivery } from '../../protocol/resources/delivery.ts';
import type { Database } from '../database.ts';
import type { Place } from './place.ts';
import { stretchOf, walkStatement, type Step, type Stretch } from './walk.ts';

type Queries = Pick<Database, 'query'>;

/** A delivery as it is read. */
export interface DeliveryRow extends Omit<
  WebhookDelivery,
  'lastAttemptAt' | 'nextAttemptAt' | 'createdAt' | 'updatedAt' | 'environmentId'
> {
  readonly environmentId: string;
  readonly eventSeq: number;
  readonly eventAt: Date;
  readonly lastAttemptAt: Date | null;
  readonly nextAttemptAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The columns of a {@link DeliveryRow}; the table is `d`. */
export const deliveryColumns = `
  d.delivery_id as "deliveryId", d.project_id as "projectId", d.environment_id as "environmentId", d.stitch_id as "stitchId",
  d.event_id as "eventId", d.event_name as "eventName", d.thread_id as "threadId", d.trigger, d.status,
  d.attempt_count as "attemptCount", d.response_status as "responseStatus", d.last_error as "lastError",
  d.last_attempt_at as "lastAttemptAt", d.next_attempt_at as "nextAttemptAt", d.created_at as "createdAt",
  d.updated_at as "updatedAt", d.event_seq as "eventSeq", d.event_at as "eventAt"`;

/** The delivery as REST shows it. */
export function toDelivery(row: DeliveryRow & Partial<Step>): WebhookDelivery {
  const { eventSeq: _seq, eventAt: _at, walked: _walked, wanted: _wanted, ...shown } = row;
  return {
    ...shown,
    lastAttemptAt: row.lastAttemptAt?.toISOString() ?? null,
    nextAttemptAt: row.nextAttemptAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

/** A delivery and the event that it carries, wherever it is: the caller's right to it is still to be checked. */
export interface FoundDelivery {
  readonly delivery: WebhookDelivery;
  readonly place: Place;
  readonly eventSeq: number;
  /** ISO 8601. */
  readonly eventAt: string;
}

const dayMs = 86_400_000;

// The id holds the instant of its making: a day around it is at most three partitions.
const selectOne = `
  select ${deliveryColumns} from webhook_deliveries d
  where d.delivery_id = $1 and d.created_at > $2 and d.created_at < $3`;

/** Undefined for an id that is none of ours, unknown, or of a delivery that retention has taken. */
export async function findDelivery(db: Queries, deliveryId: string): Promise<FoundDelivery | undefined> {
  const at = instantOf(deliveryId);
  // Not one of our ids, or not in the range of a date.
  if (!(at >= 0 && at < 8e15)) return undefined;
  const values = [deliveryId, new Date(at - dayMs), new Date(at + dayMs)];
  const [row] = await db.query<DeliveryRow>(selectOne, values, 'deliveries.find');
  if (row === undefined) return undefined;
  const { projectId, environmentId, eventSeq, eventAt } = row;
  return {
    delivery: toDelivery(row),
    place: { projectId, environmentId },
    eventSeq,
    eventAt: eventAt.toISOString(),
  };
}

export interface DeliveryFilter extends Place {
  readonly stitchId?: string | undefined;
  readonly status?: string | undefined;
  readonly eventId?: string | undefined;
  readonly eventName?: string | undefined;
  /** ISO 8601; from inclusive, to exclusive. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** Only these, of which there are few. */
  readonly deliveryIds?: readonly string[] | undefined;
  /** Where the page before ended; exclusive. */
  readonly before?: { readonly at: number; readonly deliveryId: string } | undefined;
  readonly limit: number;
}

// An ordinary delivery is made with its event and of the same instant; those made later are indexed by the event.
const ofEvent = (event: string): string => `(
    select * from webhook_deliveries where project_id = $1 and environment_id = $2 and event_id = ${event} and trigger = 'scheduled'
      and created_at = any (array(select occurred_at from events where event_id = ${event} and project_id = $1))
    union all
    select * from webhook_deliveries where event_id = ${event} and trigger <> 'scheduled'
  )`;

/** Statuses that are few among the deliveries of an environment have an index. */
const isRare = (status: string | undefined): boolean => status === 'failed' || status === 'cancelled';

/** The statement of a page, and whether it looks through rows that were not asked for. */
export function deliveryStatement(filter: DeliveryFilter): {
  readonly text: string;
  readonly values: unknown[];
  readonly walks: boolean;
} {
  const { projectId, environmentId, status, eventId, deliveryIds, before, limit } = filter;
  const values: unknown[] = [projectId, environmentId];
  const within = ['d.project_id = $1', 'd.environment_id = $2'];
  const wanted: string[] = [];
  const narrow = (into: string[], condition: (parameter: string) => string, value: unknown): void => {
    if (value !== undefined) into.push(condition(`$${values.push(value)}`));
  };
  narrow(within, at => `d.created_at >= ${at}::timestamptz`, filter.since);
  narrow(within, at => `d.created_at < ${at}::timestamptz`, filter.until);
  narrow(within, ids => `d.delivery_id = any (${ids}::text[])`, deliveryIds);
  narrow(isRare(status) ? within : wanted, given => `d.status = ${given}`, status);
  narrow(wanted, id => `d.stitch_id = ${id}`, filter.stitchId);
  narrow(wanted, name => `d.event_name = ${name}`, filter.eventName);
  if (before !== undefined) {
    const places = [new Date(before.at), before.deliveryId].map(value => `$${values.push(value)}`);
    within.push(`(d.created_at, d.delivery_id) < (${places.join(', ')})`);
  }
  const isFew = eventId !== undefined || deliveryIds !== undefined;
  const text = walkStatement({
    table: eventId === undefined ? 'webhook_deliveries' : ofEvent(`$${values.push(eventId)}`),
    as: 'd',
    columns: deliveryColumns,
    by: ['created_at', 'delivery_id'],
    key: ['delivery_id', 'created_at'],
    within: isFew ? [...within, ...wanted] : within,
    wanted: isFew ? [] : wanted,
    limit,
  });
  return { text, values, walks: !isFew && (wanted.length > 0 || isRare(status)) };
}

/** A page of one environment's deliveries, newest first. */
export async function deliveryPage(
  db: Pick<Database, 'query' | 'walk'>,
  filter: DeliveryFilter,
): Promise<Stretch<WebhookDelivery>> {
  const { text, values, walks } = deliveryStatement(filter);
  const found = walks
    ? await db.walk<DeliveryRow & Step>(filter.projectId, text, values)
    : await db.query<DeliveryRow & Step>(text, values);
  const { rows, end } = stretchOf(found, filter.limit);
  return { rows: rows.map(toDelivery), end: end && toDelivery(end) };
}

/** What is to be replayed of a stitch: its deliveries created from `since` (inclusive) to `until` (exclusive), ISO 8601. */
export interface ReplaySource {
  readonly sourceStitchId: string;
  /** ISO 8601; from inclusive, to exclusive. */
  readonly since: string;
  readonly until: string;
  /** Names and patterns; empty: all. */
  readonly eventNames: readonly string[];
  /** Empty: all. */
  readonly statuses: readonly string[];
  /** The last delivery of the source that is done; null before the first. */
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

// Only what the stitch was due by itself: a replay of a replay would send an event twice. By time and then by number, which is the
// order within each thread, and comes from the index but for the events of one millisecond.
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
      ...[sourceStitchId, since, until, statuses, eventNames],
      ...[after?.createdAt ?? null, after?.eventSeq ?? null, limit],
    ],
    'deliveries.replay',
  );
  return rows.map(row => ({
    ...row,
    createdAt: row.createdAt.toISOString(),
    eventAt: row.eventAt.toISOString(),
  }));
}

// A loose index scan: one probe per stitch that has open deliveries, however many each of them has. And the index
// stitches_unfinished, whose condition is word for word this one.
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
 * Stitches that have open deliveries, or a replay, a cancellation or news for their owner to finish, by their ids, after `after`.
 * Tell each of them `sweep` at the start of a node and now and then: that heals whatever a crash or a lost tell has left behind.
 */
export async function stitchesWithWork(db: Queries, limit: number, after = ''): Promise<string[]> {
  const rows = await db.query<{ stitchId: string }>(selectWithWork, [after, limit], 'stitches.with_work');
  return rows.map(({ stitchId }) => stitchId);
}
