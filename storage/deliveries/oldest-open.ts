/** How long the oldest delivery has been open. */
import type { Queries } from '../database/index.ts';

/** Rows that are looked at of the first day that has an open one: an outage leaves millions, and no index has their times. */
const maxRows = 10_000;

/** Days back that are looked at one by one; what is older counts as one. */
const days = 40;

// From day to day, in their order, and no further than to the first that has one.
const selectOldest = `
  select oldest from (
    select n, case when n > -${days} then date_trunc('day', now(), 'UTC') + n * interval '1 day' else '-infinity' end as since,
      case when n < 1 then date_trunc('day', now(), 'UTC') + (n + 1) * interval '1 day' else 'infinity' end as until
    from generate_series(-${days}, 1) n order by n
  ) days cross join lateral (
    select min(created_at) as oldest from (
      select created_at from webhook_deliveries
      where status in ('pending', 'delivering', 'retrying') and created_at >= since and created_at < until limit ${maxRows}
    ) open
  ) of_day
  where oldest is not null order by n limit 1`;

/** When the oldest delivery with a row began that is still open, in epoch milliseconds; undefined: there is none. */
export async function findOldestOpen(db: Queries): Promise<number | undefined> {
  const [row] = await db.query<{ oldest: Date | null }>(selectOldest, []);
  return row?.oldest?.getTime();
}
