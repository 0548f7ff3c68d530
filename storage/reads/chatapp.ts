/** Reads of chatapp channels by what identifies them at the provider, and of the messages that it has brought. */
import type { ChannelStatus } from '../../protocol/resources/index.ts';
import type { Queries, TenantScope } from '../database/index.ts';
import type { ThreadKey } from './threads.ts';

/** How a chatapp channel is connected. */
export interface ChatappRecord extends TenantScope {
  readonly channelId: string;
  readonly status: ChannelStatus;
  /** As the channel's actor keeps it; its code decodes it. Null: nobody has tried to connect the channel. */
  readonly chatapp: unknown;
  readonly updatedAt: Date;
  /** Whether the project or its workspace is archived. */
  readonly isArchived: boolean;
}

/** By the id alone: the provider says no more. Undefined where there is no such channel, or it is of another kind. */
export async function findChatapp(db: Queries, channelId: string): Promise<ChatappRecord | undefined> {
  const [row] = await db.query<ChatappRecord>(
    `select c.channel_id as "channelId", c.project_id as "projectId", c.environment_id as "environmentId", c.status,
       c.chatapp, c.updated_at as "updatedAt", coalesce(p.archived_at, w.archived_at) is not null as "isArchived"
     from channels c left join projects p on p.project_id = c.project_id left join workspaces w on w.workspace_id = p.workspace_id
     where c.channel_id = $1 and c.kind = 'chatapp'`,
    [channelId],
    'chatapp.find',
  );
  return row;
}

/** The channel that is connected to the number, whoever has it. */
export async function findNumberChannel(
  db: Queries,
  phoneNumberId: string,
): Promise<(TenantScope & { readonly channelId: string }) | undefined> {
  const [row] = await db.query<TenantScope & { readonly channelId: string }>(
    `select channel_id as "channelId", project_id as "projectId", environment_id as "environmentId"
     from channels where phone_number_id = $1`,
    [phoneNumberId],
    'chatapp.number',
  );
  return row;
}

/** Whether another channel has a number of the same business account, by the same app. Of any tenant: an app may serve several. */
export async function sharesAccount(
  db: Queries,
  {
    channelId,
    wabaId,
    appId,
  }: { readonly channelId: string; readonly wabaId: string; readonly appId: string },
): Promise<boolean> {
  const rows = await db.query(
    `select from channels where phone_number_id is not null and channel_id <> $1
       and chatapp #>> '{connection,wabaId}' = $2 and chatapp #>> '{connection,appId}' = $3 limit 1`,
    [channelId, wabaId, appId],
    'chatapp.shares_account',
  );
  return rows.length > 0;
}

/** The tenant's other channels that are connected to a business account by the app that the channel is connected by. */
export async function findAccountSiblings(
  db: Queries,
  { projectId, environmentId, channelId }: TenantScope & { readonly channelId: string },
  wabaId: string,
): Promise<readonly string[]> {
  const rows = await db.query<{ id: string }>(
    `select s.channel_id as id from channels c join channels s using (project_id, environment_id)
     where c.channel_id = $1 and project_id = $2 and environment_id = $3 and s.channel_id <> $1 and s.phone_number_id is not null
       and s.chatapp #>> '{connection,wabaId}' = $4
       and s.chatapp #>> '{connection,appId}' = c.chatapp #>> '{connection,appId}'
     order by s.channel_id`,
    [channelId, projectId, environmentId, wabaId],
    'chatapp.account_siblings',
  );
  return rows.map(({ id }) => id);
}

/** Our ids of the channel's messages that have one of the provider's ids, by these. */
export async function findMessageIds(
  db: Queries,
  { projectId, environmentId, channelId }: TenantScope & { readonly channelId: string },
  externalMessageIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await db.query<{ theirs: string; ours: string }>(
    `select external_message_id as theirs, message_id as ours from messages
     where channel_id = $1 and external_message_id = any ($2::text[]) and project_id = $3 and environment_id = $4`,
    [channelId, externalMessageIds, projectId, environmentId],
    'chatapp.message_ids',
  );
  return new Map(rows.map(({ theirs, ours }) => [theirs, ours]));
}

/** A message of a participant, as its channel's provider knows it. */
export interface ProviderMessageHead {
  readonly channelId: string;
  readonly externalMessageId: string;
}

/**
 * The thread's newest message that its provider has brought, up to that number. Undefined where there is none, or the channel is not
 * connected to a provider.
 */
export async function findProviderMessage(
  db: Queries,
  { threadId, projectId, environmentId }: ThreadKey,
  upTo?: number,
): Promise<ProviderMessageHead | undefined> {
  const [row] = await db.query<ProviderMessageHead>(
    `select m.channel_id as "channelId", m.external_message_id as "externalMessageId"
     from messages m join channels c on c.channel_id = m.channel_id and c.kind = 'chatapp' and c.status = 'connected'
     where m.thread_id = $1 and m.project_id = $2 and m.environment_id = $3 and m.direction = 'inbound'
       and m.external_message_id is not null and ($4::bigint is null or m.sequence <= $4)
     order by m.sequence desc limit 1`,
    [threadId, projectId, environmentId, upTo ?? null],
    'chatapp.newest_message',
  );
  return row;
}

/** When the first token of a connected channel expires, in epoch milliseconds; undefined: none does. */
export async function findNextTokenExpiry(db: Queries): Promise<number | undefined> {
  const [row] = await db.query<{ at: string | null }>(
    `select min(chatapp #>> '{connection,tokenExpiresAt}') as at from channels
     where phone_number_id is not null`,
  );
  const at = row?.at ?? null;
  return at === null ? undefined : Date.parse(at);
}
