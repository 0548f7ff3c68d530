/** The log of webhook deliveries and their attempts, as users read it. */
import { getIdTime } from '../../protocol/ids.ts';
import type { DeliveryAttempt, WebhookDelivery } from '../../protocol/resources/index.ts';
import type { Database, FindTenant, Queries, TenantScope } from '../database/index.ts';
import {
  ScanConditions,
  type PageRows,
  type ScanRow,
  type ScanStatement,
  buildScanStatement,
  limitBytes,
  mapPage,
  readPage,
  readScanPage,
} from '../paging/index.ts';
import {
  type DeliveryKey,
  unrecordedById,
  unrecordedOfEvents,
  unrecordedPage,
  type UnrecordedPage,
} from './unrecorded.ts';

/** A delivery as it is read. */
export interface DeliveryRecord extends Omit<
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
export function toDelivery(row: DeliveryRecord & Partial<ScanRow>): WebhookDelivery {
  const { eventSeq: _seq, eventAt: _at, scanned: _scanned, matches: _matches, ...shown } = row;
  return {
    ...shown,
    lastAttemptAt: row.lastAttemptAt?.toISOString() ?? null,
    nextAttemptAt: row.nextAttemptAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

/** A delivery and the event that it carries. */
export interface FoundDelivery {
  readonly delivery: WebhookDelivery;
  readonly eventSeq: number;
  /** ISO 8601. */
  readonly eventAt: string;
}

const dayMs = 86_400_000;

// The id contains the instant of its creation: a day around it is at most three partitions.
const isDelivery = 'd.delivery_id = $1 and d.created_at > $2 and d.created_at < $3';

const selectTenant = `
  select d.project_id as "projectId", d.environment_id as "environmentId" from webhook_deliveries d where ${isDelivery}`;

const selectOne = `
  select ${deliveryColumns} from webhook_deliveries d
  where ${isDelivery} and d.project_id = $4 and d.environment_id = $5`;

/** What `isDelivery` needs; undefined for a text that is no id of ours, or whose instant is out of the range of a date. */
function toKeyValues(deliveryId: string): DeliveryKey | undefined {
  const at = getIdTime(deliveryId);
  return at >= 0 && at < 8e15 ? [deliveryId, new Date(at - dayMs), new Date(at + dayMs)] : undefined;
}

export const findDeliveryTenant: FindTenant = async (db, deliveryId) => {
  const key = toKeyValues(deliveryId);
  if (key === undefined) return undefined;
  const [found] = await db.query<TenantScope>(selectTenant, key, 'deliveries.tenant');
  return found ?? (await unrecordedById(db, key))?.tenant;
};

/** Undefined for an id that the environment does not have, and for a delivery that retention has removed. */
export async function findDelivery(
  db: Queries,
  { projectId, environmentId }: TenantScope,
  deliveryId: string,
): Promise<FoundDelivery | undefined> {
  const key = toKeyValues(deliveryId);
  if (key === undefined) return undefined;
  const values = [...key, projectId, environmentId];
  const [row] = await db.query<DeliveryRecord>(selectOne, values, 'deliveries.find');
  if (row === undefined) {
    const found = await unrecordedById(db, key);
    const isOwn = found?.tenant.projectId === projectId && found.tenant.environmentId === environmentId;
    return isOwn ? found : undefined;
  }
  return { delivery: toDelivery(row), eventSeq: row.eventSeq, eventAt: row.eventAt.toISOString() };
}

export interface DeliveryFilter extends TenantScope {
  readonly stitchId?: string | undefined;
  readonly status?: string | undefined;
  readonly eventId?: string | undefined;
  readonly eventName?: string | undefined;
  /** ISO 8601; from inclusive, to exclusive. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** Only these few deliveries. */
  readonly deliveryIds?: readonly string[] | undefined;
  /** Where the previous page ended. */
  readonly before?: DeliveryPosition | undefined;
  readonly limit: number;
}

/** Where a page ends. */
export interface DeliveryPosition {
  /** Of the rows, the last that was shown; exclusive. Epoch milliseconds, and its id. Undefined: none was. */
  readonly row: { readonly at: number; readonly deliveryId: string } | undefined;
  /** Of what has no row, the event number that was read last; exclusive. Undefined: none was. */
  readonly seq: number | undefined;
}

export interface DeliveryPage {
  readonly rows: readonly WebhookDelivery[];
  /** Undefined: it was the last. */
  readonly end: DeliveryPosition | undefined;
}

// A scheduled delivery has the instant of its event; all others have an index by the event.
const selectEventDeliveries = (event: string): string => `(
    select * from webhook_deliveries where project_id = $1 and environment_id = $2 and event_id = ${event} and trigger = 'scheduled'
      and created_at = any (array(
        select occurred_at from events where event_id = ${event} and project_id = $1 and environment_id = $2))
    union all
    select * from webhook_deliveries where event_id = ${event} and trigger <> 'scheduled' and project_id = $1 and environment_id = $2
  )`;

/** An index finds the deliveries of these statuses, of which an environment has few. */
const isRare = (status: string | undefined): boolean => status === 'failed' || status === 'cancelled';

/** The statement of a page. */
export function deliveryStatement(filter: DeliveryFilter): ScanStatement {
  const { projectId, environmentId, status, eventId, deliveryIds, before, limit } = filter;
  const conditions = new ScanConditions(
    [projectId, environmentId],
    ['d.project_id = $1', 'd.environment_id = $2'],
  );
  const hasStatus = (given: string): string => `d.status = ${given}`;
  conditions.inRange(at => `d.created_at >= ${at}::timestamptz`, filter.since);
  conditions.inRange(at => `d.created_at < ${at}::timestamptz`, filter.until);
  conditions.inRange(ids => `d.delivery_id = any (${ids}::text[])`, deliveryIds);
  if (isRare(status)) conditions.inRange(hasStatus, status);
  else conditions.filter(hasStatus, status);
  conditions.filter(id => `d.stitch_id = ${id}`, filter.stitchId);
  conditions.filter(name => `d.event_name = ${name}`, filter.eventName);
  if (before?.row !== undefined) {
    const { at, deliveryId } = before.row;
    conditions.beyond(['d.created_at', 'd.delivery_id'], [new Date(at), deliveryId]);
  }
  const { values, range, filters } = conditions;
  const isFew = eventId !== undefined || deliveryIds !== undefined;
  const text = buildScanStatement({
    table:
      eventId === undefined ? 'webhook_deliveries' : selectEventDeliveries(conditions.parameter(eventId)),
    as: 'd',
    columns: deliveryColumns,
    by: ['created_at', 'delivery_id'],
    key: ['delivery_id', 'created_at'],
    range: isFew ? [...range, ...filters] : range,
    filters: isFew ? [] : filters,
    limit,
  });
  return { text, values, isScan: !isFew && (filters.length > 0 || isRare(status)) };
}

const unrecordedStatuses: readonly (string | undefined)[] = [undefined, 'pending', 'cancelled'];

/** A page of one environment's deliveries, newest first: those with a row, and those without one between them. */
export async function deliveryPage(
  db: Pick<Database, 'query' | 'scan'>,
  filter: DeliveryFilter,
): Promise<DeliveryPage> {
  const { projectId, limit } = filter;
  const [rows, unrecorded] = await Promise.all([
    readScanPage<DeliveryRecord & ScanRow>(db, projectId, deliveryStatement(filter), limit),
    readUnrecorded(db, filter),
  ]);
  return mergePages(filter, toRows(rows), unrecorded);
}

async function readUnrecorded(db: Queries, filter: DeliveryFilter): Promise<UnrecordedPage> {
  const { eventId, status, before, limit } = filter;
  if (!unrecordedStatuses.includes(status)) return { rows: [], end: undefined };
  if (eventId !== undefined) return unrecordedOfEvent(db, filter, eventId);
  return unrecordedPage(db, filter, 'desc', before?.seq, limit);
}

interface RowsPage {
  readonly rows: readonly WebhookDelivery[];
  readonly end: WebhookDelivery | undefined;
}

function toRows({ rows, end }: PageRows<DeliveryRecord & ScanRow>): RowsPage {
  return { rows: rows.map(toDelivery), end: end && toDelivery(end) };
}

/** All of one event, of which there are as many as stitches. */
async function unrecordedOfEvent(
  db: Queries,
  filter: DeliveryFilter,
  eventId: string,
): Promise<UnrecordedPage> {
  const { stitchId, status, eventName, before } = filter;
  const found = before?.seq === undefined ? await unrecordedOfEvents(db, filter, [eventId]) : [];
  const rows = found.filter(
    ({ delivery }) =>
      (stitchId === undefined || delivery.stitchId === stitchId) &&
      (status === undefined || delivery.status === status) &&
      (eventName === undefined || delivery.eventName === eventName),
  );
  return { rows, end: undefined };
}

/**
 * Takes the newer one of the two lists, again and again, until the page is full, or one list has ended where it is not known what comes
 * next. Each list stays in its order, so that the next page begins in each after what was taken.
 */
function mergePages(
  { before, limit }: DeliveryFilter,
  page: RowsPage,
  unrecorded: UnrecordedPage,
): DeliveryPage {
  const rows: WebhookDelivery[] = [];
  const left = [...page.rows];
  const others = [...unrecorded.rows];
  let row = before?.row;
  let seq = before?.seq;
  while (rows.length < limit) {
    const [a] = left;
    const [b] = others;
    if (a !== undefined && isNewer(a, b?.delivery ?? getEnd(unrecorded))) {
      rows.push(a);
      left.shift();
      row = { at: Date.parse(a.createdAt), deliveryId: a.deliveryId };
    } else if (b !== undefined && isNewer(b.delivery, a ?? page.end)) {
      rows.push(b.delivery);
      others.shift();
      seq = b.eventSeq;
    } else break;
  }
  if (left.length === 0 && page.end !== undefined) {
    row = { at: Date.parse(page.end.createdAt), deliveryId: page.end.deliveryId };
  }
  if (others.length === 0) seq = unrecorded.end?.seq ?? 0;
  const hasMore = left.length + others.length > 0 || page.end !== undefined || unrecorded.end !== undefined;
  return { rows, end: hasMore ? { row, seq } : undefined };
}

type ListKey = Pick<WebhookDelivery, 'createdAt' | 'deliveryId'>;

function getEnd({ end }: UnrecordedPage): ListKey | undefined {
  return end && { createdAt: end.at, deliveryId: '' };
}

/** Whether it comes before the other one, if there is one, in a list that begins with the newest. */
function isNewer(one: ListKey, other: ListKey | undefined): boolean {
  if (other === undefined || one.createdAt > other.createdAt) return true;
  return one.createdAt === other.createdAt && one.deliveryId >= other.deliveryId;
}

interface AttemptRecord extends Omit<DeliveryAttempt, 'attemptedAt' | 'nextAttemptAt'> {
  readonly attemptedAt: Date;
  readonly nextAttemptAt: Date | null;
}

// An attempt is never older than its delivery, so older partitions are not read.
const selectAttempts = limitBytes(`
  select number, trigger, attempted_at as "attemptedAt", duration_ms as "durationMs", response_status as "responseStatus",
    response_body as "responseBody", error_class as "errorClass", error, next_attempt_at as "nextAttemptAt"
  from webhook_attempts
  where delivery_id = $1 and project_id = $2 and attempted_at >= $3 and number > $4 order by number limit $5`);

export interface AttemptPage {
  readonly deliveryId: string;
  readonly projectId: string;
  /** ISO 8601: of the delivery. */
  readonly createdAt: string;
  /** The last number of the previous page; 0 for the first page. */
  readonly after: number;
  readonly limit: number;
}

/** A page of a delivery's attempts, by number: every request that was made, or refused before it was made. */
export async function attemptPage(
  db: Queries,
  { deliveryId, projectId, createdAt, after, limit }: AttemptPage,
): Promise<PageRows<DeliveryAttempt>> {
  const values = [deliveryId, projectId, createdAt, after, limit + 1];
  const page = await readPage<AttemptRecord>(db, selectAttempts, values, limit, 'attempts.page');
  return mapPage(page, row => ({
    ...row,
    attemptedAt: row.attemptedAt.toISOString(),
    nextAttemptAt: row.nextAttemptAt?.toISOString() ?? null,
  }));
}
