/** Finds channels that have rows to work on: see gateway/jobs/recovery-scanner.ts. */
import type { Queries } from '../database/index.ts';

/** The next channels with work, in the order of their ids, after the given one. */
export type FindChannels = (db: Queries, limit: number, after?: string) => Promise<string[]>;

/**
 * The table's index begins with the channel, and is probed once for each channel that has work, however many rows it has.
 *
 * @param isDue of a row
 */
export function createFindChannels(table: string, isDue: string): FindChannels {
  const next = (after: string): string =>
    `select t.channel_id from ${table} t where ${isDue} and t.channel_id > ${after} order by t.channel_id limit 1`;
  const text = `
    with recursive found as (
      (${next('$1')})
      union all
      select (${next('found.channel_id')}) from found where found.channel_id is not null
    )
    select channel_id as "channelId" from found where channel_id is not null limit $2`;
  return async (db, limit, after = '') => {
    const rows = await db.query<{ channelId: string }>(text, [after, limit], `${table}.channels`);
    return rows.map(({ channelId }) => channelId);
  };
}
