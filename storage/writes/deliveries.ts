/** Rows of `webhook_deliveries` and `webhook_attempts` (decisions, section 6). */
import type { Statement, Write } from '../statement.ts';

const insert: Statement = {
  name: 'delivery.insert',
  order: 60,
  text: `
    insert into webhook_deliveries (delivery_id, project_id, environment_id, stitch_id, event_id, event_seq, event_name, event_at,
      thread_id, status, attempt_count, trigger, next_attempt_at, created_at, updated_at)
    select "deliveryId", "projectId", "environmentId", "stitchId", "eventId", "eventSeq", "eventName", "eventAt", "threadId",
      'pending', 0, trigger, "createdAt", "createdAt", "createdAt"
    from json_to_recordset($1::json) as r("deliveryId" text, "projectId" text, "environmentId" text, "stitchId" text,
      "eventId" text, "eventSeq" bigint, "eventName" text, "eventAt" timestamptz, "threadId" text, trigger text, "createdAt" timestamptz)`,
};

export interface DeliveryRow {
  readonly deliveryId: string;
  readonly projectId: string;
  readonly environmentId: string;
  readonly stitchId: string;
  readonly eventId: string;
  /** The event's number in its project: with `eventAt` it finds the event's body. */
  readonly eventSeq: number;
  readonly eventName: string;
  readonly eventAt: string;
  readonly threadId?: string;
  readonly trigger: 'scheduled' | 'manual' | 'replay' | 'test';
  readonly createdAt: string;
}

/** A replay: a new delivery of the same event. Ordinary deliveries are joined in SQL when their event is appended. */
export function insertDelivery(row: DeliveryRow): Write {
  return { statement: insert, row: JSON.stringify(row) };
}

// `created_at` is part of the key of the partitioned table: with it the update touches one partition.
const update: Statement = {
  name: 'delivery.update',
  order: 61,
  text: `
    update webhook_deliveries d set status = r.status, attempt_count = r."attemptCount", response_status = r."responseStatus",
      last_error = r."lastError", last_attempt_at = coalesce(r."lastAttemptAt", d.last_attempt_at),
      next_attempt_at = r."nextAttemptAt", updated_at = r.at
    from json_to_recordset($1::json) as r("deliveryId" text, "createdAt" timestamptz, status text, "attemptCount" int,
      "responseStatus" int, "lastError" text, "lastAttemptAt" timestamptz, "nextAttemptAt" timestamptz, at timestamptz)
    where d.delivery_id = r."deliveryId" and d.created_at = r."createdAt"
      and d.status not in ('delivered', 'failed', 'cancelled')`,
};

export interface DeliveryUpdateRow {
  readonly deliveryId: string;
  /** The row's own created_at, to the millisecond. */
  readonly createdAt: string;
  readonly status: 'pending' | 'delivering' | 'delivered' | 'retrying' | 'failed' | 'cancelled';
  readonly attemptCount: number;
  readonly responseStatus: number | null;
  readonly lastError: string | null;
  readonly lastAttemptAt: string | null;
  readonly nextAttemptAt: string | null;
  readonly at: string;
}

/** Final states are final: an update of a delivered, failed or cancelled delivery changes nothing. */
export function updateDelivery(row: DeliveryUpdateRow): Write {
  return { statement: update, row: JSON.stringify(row), key: row.deliveryId };
}

const attempt: Statement = {
  name: 'attempt.insert',
  order: 62,
  text: `
    insert into webhook_attempts (delivery_id, number, project_id, trigger, attempted_at, duration_ms, response_status, response_body,
      error_class, error, next_attempt_at)
    select "deliveryId", number, "projectId", trigger, "attemptedAt", "durationMs", "responseStatus", "responseBody", "errorClass",
      error, "nextAttemptAt"
    from json_to_recordset($1::json) as r("deliveryId" text, number int, "projectId" text, trigger text, "attemptedAt" timestamptz,
      "durationMs" int, "responseStatus" int, "responseBody" text, "errorClass" text, error text, "nextAttemptAt" timestamptz)
    on conflict do nothing`,
};

export interface AttemptRow {
  readonly deliveryId: string;
  /** 1, 2, 3 ... */
  readonly number: number;
  readonly projectId: string;
  readonly trigger: string;
  readonly attemptedAt: string;
  readonly durationMs: number;
  readonly responseStatus: number | null;
  /** The first 16 KiB, made storable (no NUL, no lone surrogates). */
  readonly responseBody: string | null;
  readonly errorClass: string | null;
  readonly error: string | null;
  readonly nextAttemptAt: string | null;
}

export function insertAttempt(row: AttemptRow): Write {
  return { statement: attempt, row: JSON.stringify(row) };
}
