/** Ends the open deliveries of a stitch that takes none any more (decisions, section 4: pending and retrying to cancelled). */
import type { Database } from './database.ts';

const cancel = `
  with open as (
    select delivery_id, created_at from webhook_deliveries
    where stitch_id = $1 and status in ('pending', 'retrying') and created_at <= $2 and delivery_id <> all ($3::text[])
    order by event_seq limit $4 for update
  )
  update webhook_deliveries d set status = 'cancelled', next_attempt_at = null, updated_at = $5
  from open where d.delivery_id = open.delivery_id and d.created_at = open.created_at`;

export interface Cancellation {
  readonly stitchId: string;
  /** ISO 8601: deliveries created up to this instant. */
  readonly until: string;
  /** Not these: their requests are out, and end as their answers say. */
  readonly except: readonly string[];
  readonly limit: number;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** How many were cancelled: fewer than the limit when none is left. */
export async function cancelDeliveries(
  db: Pick<Database, 'query'>,
  { stitchId, until, except, limit, now }: Cancellation,
): Promise<number> {
  const values = [stitchId, until, except, limit, new Date(now)];
  const rows = await db.query(`${cancel} returning 1 as one`, values, 'deliveries.cancel');
  return rows.length;
}
