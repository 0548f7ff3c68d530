/** Reads of channels, and of the commands that a custom channel has not acknowledged. Each names the project and the environment. */
import { limitBytes, mapPage, readPage, type PageRows } from '../paging/index.ts';
import type { ChannelChange, ChannelCommand } from '../../protocol/resources/index.ts';
import type { Queries, TenantScope } from '../database/index.ts';

/** A channel as its snapshot's row in JSON, which the actor's code decodes. */
export interface ChannelRecord {
  readonly channelId: string;
  readonly createdAt: Date;
  readonly row: unknown;
}

// A default agent that the environment does not have reads as none.
const record = `c.channel_id as "channelId", c.created_at as "createdAt", to_jsonb(c) || jsonb_build_object('default_agent_id', (
    select a.agent_id from agents a
    where a.agent_id = c.default_agent_id and a.project_id = c.project_id and a.environment_id = c.environment_id)) as row`;

const selectChannel = `
  select ${record} from channels c where c.channel_id = $1 and c.project_id = $2 and c.environment_id = $3`;

/** Undefined where the environment has no such channel. */
export async function findChannel(
  db: Queries,
  { projectId, environmentId }: TenantScope,
  channelId: string,
): Promise<ChannelRecord | undefined> {
  const values = [channelId, projectId, environmentId];
  const [row] = await db.query<ChannelRecord>(selectChannel, values, 'channels.find');
  return row;
}

/** The default agent of a channel now; null where the channel has none. */
export async function findDefaultAgent(
  db: Queries,
  { projectId, environmentId }: TenantScope,
  channelId: string,
): Promise<string | null> {
  const [row] = await db.query<{ agentId: string | null }>(
    `select default_agent_id as "agentId" from channels where channel_id = $1 and project_id = $2 and environment_id = $3`,
    [channelId, projectId, environmentId],
    'channels.default_agent',
  );
  return row?.agentId ?? null;
}

export interface ChannelFilter extends TenantScope {
  /** Where the previous page ended: the creation of its last channel, in epoch milliseconds, and the id. */
  readonly after?: { readonly at: number; readonly channelId: string } | undefined;
  readonly limit: number;
}

const selectChannels = limitBytes(`
  select ${record} from channels c
  where c.project_id = $1 and c.environment_id = $2
    and ($3::timestamptz is null or (c.created_at, c.channel_id) < ($3, $4))
  order by c.created_at desc, c.channel_id desc limit $5`);

/** A page of one environment's channels, newest first. */
export function channelPage(db: Queries, filter: ChannelFilter): Promise<PageRows<ChannelRecord>> {
  const { projectId, environmentId, after, limit } = filter;
  const from = after === undefined ? null : new Date(after.at);
  const values = [projectId, environmentId, from, after?.channelId ?? null, limit + 1];
  return readPage<ChannelRecord>(db, selectChannels, values, limit, 'channels.page');
}

export interface CommandFilter extends TenantScope {
  readonly channelId: string;
  /** The last event id of the previous page. */
  readonly after: string | undefined;
  readonly limit: number;
}

interface CommandRow extends Omit<ChannelCommand, 'data' | 'occurredAt'> {
  readonly occurredAt: Date;
  /** JSON text. */
  readonly data: string;
}

const selectCommands = limitBytes(`
  select event_id as "eventId", event_name as "eventName", occurred_at as "occurredAt", project_id as "projectId",
    channel_id as "channelId", data
  from channel_commands
  where channel_id = $1 and project_id = $2 and environment_id = $3 and acknowledged_at is null
    and ($4::text is null or event_id > $4)
  order by event_id limit $5`);

/** A page of the channel's open commands, oldest first: event ids sort by time. */
export async function commandPage(db: Queries, filter: CommandFilter): Promise<PageRows<ChannelCommand>> {
  const { channelId, projectId, environmentId, after, limit } = filter;
  const values = [channelId, projectId, environmentId, after ?? null, limit + 1];
  const page = await readPage<CommandRow>(db, selectCommands, values, limit, 'commands.page');
  return mapPage(page, row => ({
    ...row,
    occurredAt: row.occurredAt.toISOString(),
    data: JSON.parse(row.data) as Record<string, unknown>,
  }));
}

/** Undefined where the channel has no such command. */
export async function commandState(
  db: Queries,
  { projectId, environmentId }: TenantScope,
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

interface ChangeRow extends Omit<ChannelChange, 'occurredAt' | 'tokenExpiresAt'> {
  readonly occurredAt: Date;
  readonly tokenExpiresAt: Date | null;
}

const selectChanges = limitBytes(`
  select channel_id as "channelId", event_id as "eventId", event_name as "eventName", status, previous_status as "previousStatus", error,
    token_expires_at as "tokenExpiresAt", actor, occurred_at as "occurredAt"
  from channel_changes
  where channel_id = $1 and project_id = $2 and environment_id = $3 and ($4::text is null or event_id < $4)
  order by event_id desc limit $5`);

/** A page of what became of a channel's connection, newest first: event ids sort by time. `after` is the last one of the page before. */
export async function changePage(
  db: Queries,
  { projectId, environmentId, channelId, after, limit }: CommandFilter,
): Promise<PageRows<ChannelChange>> {
  const values = [channelId, projectId, environmentId, after ?? null, limit + 1];
  const page = await readPage<ChangeRow>(db, selectChanges, values, limit, 'channels.changes');
  return mapPage(page, row => ({
    ...row,
    occurredAt: row.occurredAt.toISOString(),
    tokenExpiresAt: row.tokenExpiresAt?.toISOString() ?? null,
  }));
}
