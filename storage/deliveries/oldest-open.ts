/** How long the oldest delivery has been open. */
import type { Queries } from '../database/index.ts';
import { selectDays } from './days.ts';

/** Rows that are looked at of the first day that has an open one: an outage leaves millions, and no index has their times. */
const maxRows = 10_000;

// From day to day, in their order, and no further than to the first that has one.
const selectOldest = `
  select oldest from (
    ${selectDays}
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
