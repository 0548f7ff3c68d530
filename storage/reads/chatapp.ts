/** Reads of chatapp channels by what identifies them at the provider, and of the messages that it has brought. */
import type { ChannelStatus } from '../../protocol/resources/index.ts';
import type { Queries, TenantScope } from '../database/index.ts';

/** How a chatapp channel is connected. */
export interface ChatappRecord extends TenantScope {
  readonly channelId: string;
  readonly status: ChannelStatus;
  /** As the channel's actor keeps it; its code decodes it. Null: nobody has tried to connect the channel. */
  readonly chatapp: unknown;
}

/** By the id alone: the provider says no more. Undefined where there is no such channel, or it is of another kind. */
export async function findChatapp(db: Queries, channelId: string): Promise<ChatappRecord | undefined> {
  const [row] = await db.query<ChatappRecord>(
    `select channel_id as "channelId", project_id as "projectId", environment_id as "environmentId", status,
       chatapp
     from channels where channel_id = $1 and kind = 'chatapp'`,
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

/** Which of the provider's ids the channel's messages have. */
export async function findExternalIds(
  db: Queries,
  channelId: string,
  externalMessageIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ id: string }>(
    `select external_message_id as id from messages where channel_id = $1 and external_message_id = any ($2::text[])`,
    [channelId, externalMessageIds],
    'chatapp.external_ids',
  );
  return new Set(rows.map(({ id }) => id));
}
