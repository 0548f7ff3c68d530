/** How long the oldest mail has been waiting. */
import type { Queries } from '../database/index.ts';

// The partial index mails_due has those that wait, and no others.
const selectOldest = 'select min(created_at) as oldest from mails where next_attempt_at is not null';

/** When the oldest mail that is neither sent nor given up was queued, in epoch milliseconds; undefined: there is none. */
export async function findOldestMail(db: Queries): Promise<number | undefined> {
  const [row] = await db.query<{ oldest: Date | null }>(selectOldest, []);
  return row?.oldest?.getTime();
}
