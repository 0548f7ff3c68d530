/** Reads of channel commands: what a custom channel has to do and has not acknowledged. */
import type { ChannelCommand } from '../../protocol/resources/channel.ts';
import type { Database } from '../database.ts';
import type { Place } from './place.ts';

type Queries = Pick<Database, 'query'>;

export interface CommandFilter extends Place {
  readonly channelId: string;
  /** The last event id of the page before. */
  readonly after: string | undefined;
  readonly limit: number;
}

interface CommandRecord extends Omit<ChannelCommand, 'data' | 'occurredAt'> {
  readonly occurredAt: Date;
  /** JSON text. */
  readonly data: string;
}

const selectPage = `
  select event_id as "eventId", event_name as "eventName", occurred_at as "occurredAt", project_id as "projectId",
    channel_id as "channelId", data
  from channel_commands
  where channel_id = $1 and project_id = $2 and environment_id = $3 and acknowledged_at is null
    and ($4::text is null or event_id > $4)
  order by event_id limit $5`;

/** A page of the channel's open commands, oldest first: event ids sort by time. */
export async function commandPage(db: Queries, filter: CommandFilter): Promise<ChannelCommand[]> {
  const { channelId, projectId, environmentId, after, limit } = filter;
  const values = [channelId, projectId, environmentId, after ?? null, limit];
  const rows = await db.query<CommandRecord>(selectPage, values, 'commands.page');
  return rows.map(row => ({
    ...row,
    occurredAt: row.occurredAt.toISOString(),
    data: JSON.parse(row.data) as Record<string, unknown>,
  }));
}

/** Whether the channel has such a command, and it is still open; undefined: it has none. */
export async function commandState(
  db: Queries,
  { projectId, environmentId }: Place,
  channelId: string,
  eventId: string,
): Promise<'open' | 'acknowledged' | undefined> {
  const [row] = await db.query<{ open: boolean }>(
    `select acknowledged_at is null as open from channel_commands
     where event_id = $1 and channel_id = $2 and project_id = $3 and environment_id = $4`,
    [eventId, channelId, projectId, environmentId],
    'commands.state',
  );
  if (row === undefined) return undefined;
  return row.open ? 'open' : 'acknowledged';
}
