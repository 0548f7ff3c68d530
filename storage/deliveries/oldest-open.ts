/** How long the oldest delivery has been open. */
import type { Queries } from '../database/index.ts';

/** Rows that are looked at. The days of the table come in their order, so that the oldest are among them. */
const maxRows = 10_000;

const selectOldest = `
  select min(created_at) as oldest from (
    select created_at from webhook_deliveries where status in ('pending', 'delivering', 'retrying') limit ${maxRows}) as open`;

/** When the oldest delivery with a row began that is still open, in epoch milliseconds; undefined: there is none. */
export async function findOldestOpen(db: Queries): Promise<number | undefined> {
  const [row] = await db.query<{ oldest: Date | null }>(selectOldest, []);
  return row?.oldest?.getTime();
}
