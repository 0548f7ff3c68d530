/** The log of webhook deliveries and their attempts, as users read it. */
import { getIdTime } from '../../protocol/ids.ts';
import type { DeliveryAttempt, WebhookDelivery } from '../../protocol/resources/index.ts';
import type { Database, FindTenant, Queries, TenantScope } from '../database/index.ts';
import {
  buildScanStatement,
  readScanPage,
  ScanConditions,
  type ScanPage,
  type ScanRow,
  type ScanStatement,
} from '../paging/index.ts';

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
function toKeyValues(deliveryId: string): readonly unknown[] | undefined {
  const at = getIdTime(deliveryId);
  return at >= 0 && at < 8e15 ? [deliveryId, new Date(at - dayMs), new Date(at + dayMs)] : undefined;
}

export const findDeliveryTenant: FindTenant = async (db, deliveryId) => {
  const key = toKeyValues(deliveryId);
  return key && (await db.query<TenantScope>(selectTenant, key, 'deliveries.tenant'))[0];
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
  if (row === undefined) return undefined;
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
  /** Where the previous page ended; exclusive. */
  readonly before?: { readonly at: number; readonly deliveryId: string } | undefined;
  readonly limit: number;
}

// A scheduled delivery is made with its event and has its instant; all others have an index by the event.
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
  if (before !== undefined) {
    conditions.beyond(['d.created_at', 'd.delivery_id'], [new Date(before.at), before.deliveryId]);
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

/** A page of one environment's deliveries, newest first. */
export async function deliveryPage(
  db: Pick<Database, 'query' | 'scan'>,
  filter: DeliveryFilter,
): Promise<ScanPage<WebhookDelivery>> {
  const { projectId, limit } = filter;
  const { rows, end } = await readScanPage<DeliveryRecord & ScanRow>(
    db,
    projectId,
    deliveryStatement(filter),
    limit,
  );
  return { rows: rows.map(toDelivery), end: end && toDelivery(end) };
}

interface AttemptRecord extends Omit<DeliveryAttempt, 'attemptedAt' | 'nextAttemptAt'> {
  readonly attemptedAt: Date;
  readonly nextAttemptAt: Date | null;
}

// An attempt is never older than its delivery, so older partitions are not read.
const selectAttempts = `
  select number, trigger, attempted_at as "attemptedAt", duration_ms as "durationMs", response_status as "responseStatus",
    response_body as "responseBody", error_class as "errorClass", error, next_attempt_at as "nextAttemptAt"
  from webhook_attempts
  where delivery_id = $1 and project_id = $2 and attempted_at >= $3 and number > $4 order by number limit $5`;

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
): Promise<DeliveryAttempt[]> {
  const values = [deliveryId, projectId, createdAt, after, limit];
  const rows = await db.query<AttemptRecord>(selectAttempts, values, 'attempts.page');
  return rows.map(row => ({
    ...row,
    attemptedAt: row.attemptedAt.toISOString(),
    nextAttemptAt: row.nextAttemptAt?.toISOString() ?? null,
  }));
}
