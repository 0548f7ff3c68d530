/** Reads of channels. Lists name the project and the environment; `headOfChannel` is how they are found out. */
import type { ChannelKind, ChannelStatus } from '../../protocol/resources/channel.ts';
import type { Database } from '../database.ts';
import type { Place } from './place.ts';

type Queries = Pick<Database, 'query'>;

/** What every request through a channel needs of it. */
export interface ChannelHead extends Place {
  readonly channelId: string;
  readonly kind: ChannelKind;
  readonly status: ChannelStatus;
  /** Answers on threads that name no agent. */
  readonly defaultAgentId: string | null;
}

/**
 * A channel's head by its id alone, for gateway/channel-directory.ts; undefined where there is none. Whose it is, is
 * for the caller to check.
 */
export async function headOfChannel(db: Queries, channelId: string): Promise<ChannelHead | undefined> {
  const [row] = await db.query<ChannelHead>(
    `select channel_id as "channelId", project_id as "projectId", environment_id as "environmentId", kind, status,
       default_agent_id as "defaultAgentId"
     from channels where channel_id = $1`,
    [channelId],
    'channels.head',
  );
  return row;
}

/** A channel as its snapshot's row in JSON, which the actor's own code can read. */
export interface ChannelRecord {
  readonly channelId: string;
  readonly createdAt: Date;
  readonly row: unknown;
}

const record = `c.channel_id as "channelId", c.created_at as "createdAt", to_jsonb(c) as row`;

const selectChannel = `
  select ${record} from channels c where c.channel_id = $1 and c.project_id = $2 and c.environment_id = $3`;

/** Undefined where the place has no such channel. */
export async function findChannel(
  db: Queries,
  { projectId, environmentId }: Place,
  channelId: string,
): Promise<ChannelRecord | undefined> {
  const values = [channelId, projectId, environmentId];
  const [row] = await db.query<ChannelRecord>(selectChannel, values, 'channels.find');
  return row;
}

/** Which page of whose channels. */
export interface ChannelFilter extends Place {
  /** Where the page before ended: its last creation in epoch milliseconds, and id. */
  readonly after?: { readonly at: number; readonly channelId: string } | undefined;
  readonly limit: number;
}

const selectPage = `
  select ${record} from channels c
  where c.project_id = $1 and c.environment_id = $2
    and ($3::timestamptz is null or (c.created_at, c.channel_id) < ($3, $4))
  order by c.created_at desc, c.channel_id desc limit $5`;

/** A page of one environment's channels, newest first. */
export function channelPage(db: Queries, filter: ChannelFilter): Promise<ChannelRecord[]> {
  const { projectId, environmentId, after, limit } = filter;
  const from = after === undefined ? null : new Date(after.at);
  const values = [projectId, environmentId, from, after?.channelId ?? null, limit];
  return db.query<ChannelRecord>(selectPage, values, 'channels.page');
}
