/** Reads of delivery attempts: every request that was made, or refused before it was made. */
import type { DeliveryAttempt } from '../../protocol/resources/delivery.ts';
import type { Database } from '../database.ts';

interface AttemptRow extends Omit<DeliveryAttempt, 'attemptedAt' | 'nextAttemptAt'> {
  readonly attemptedAt: Date;
  readonly nextAttemptAt: Date | null;
}

// An attempt is never older than its delivery: that spares the partitions before.
const selectPage = `
  select number, trigger, attempted_at as "attemptedAt", duration_ms as "durationMs", response_status as "responseStatus",
    response_body as "responseBody", error_class as "errorClass", error, next_attempt_at as "nextAttemptAt"
  from webhook_attempts
  where delivery_id = $1 and project_id = $2 and attempted_at >= $3 and number > $4 order by number limit $5`;

export interface AttemptPage {
  readonly deliveryId: string;
  readonly projectId: string;
  /** ISO 8601: the delivery's. */
  readonly createdAt: string;
  /** The last number of the page before; 0 for the first page. */
  readonly after: number;
  readonly limit: number;
}

/** A page of a delivery's attempts by number. */
export async function attemptPage(
  db: Pick<Database, 'query'>,
  { deliveryId, projectId, createdAt, after, limit }: AttemptPage,
): Promise<DeliveryAttempt[]> {
  const values = [deliveryId, projectId, createdAt, after, limit];
  const rows = await db.query<AttemptRow>(selectPage, values, 'attempts.page');
  return rows.map(row => ({
    ...row,
    attemptedAt: row.attemptedAt.toISOString(),
    nextAttemptAt: row.nextAttemptAt?.toISOString() ?? null,
  }));
}
