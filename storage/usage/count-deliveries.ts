/**
 * Deliveries by day. The commits of stitches count attempts by the hour (storage/writes/attempt-counts.ts); hours that no report of a stitch
 * shows any more are taken from there and added to their days, in one statement, so that each is in exactly one of both.
 */
import type { Queries } from '../database/index.ts';

/** Rows of one statement. */
const batchRows = 10_000;
/** Statements of one call: the rest waits for the next. */
const maxBatches = 100;

const rollUp = `
  with taken as (
    delete from stitch_hours where ctid = any (array(select ctid from stitch_hours where hour <= $1 limit ${batchRows})) returning *
  ), counted as (
    select s.project_id, s.environment_id, (h.hour at time zone 'UTC')::date as day, sum(h.succeeded) as deliveries,
      sum(h.succeeded + h.failed) as attempts
    from taken h join stitches s on s.stitch_id = h.stitch_id group by 1, 2, 3
  ), added as (
    insert into usage_days as u (project_id, environment_id, day, deliveries, delivery_attempts)
    select project_id, environment_id, day, deliveries, attempts from counted order by 1, 2, 3
    on conflict (project_id, environment_id, day) do update set
      deliveries = u.deliveries + excluded.deliveries, delivery_attempts = u.delivery_attempts + excluded.delivery_attempts
  )
  select count(*)::int as count from taken`;

/** Adds the hours that began at `before` or earlier to their days. */
export async function rollUpDeliveries(db: Queries, before: Date): Promise<void> {
  for (let done = 0; done < maxBatches; done++) {
    const [row] = await db.query<{ count: number }>(rollUp, [before]);
    if (row?.count !== batchRows) return;
  }
}
