/**
 * The webhooks of the chat provider, as they came: stored before they are answered, then worked through by their channel, oldest first.
 *
 *   open -> finished     worked through
 *   open -> finished     with an error, after `maxAttempts` that failed
 *
 * What is finished is kept for a while, because the provider has no way to ask for it again (storage/retention).
 */
import { BatchLoader } from '../../runtime/time/index.ts';
import type { Queries, TenantScope } from '../database/index.ts';

/** A webhook and what it was taken for. */
export interface ChatappWebhook extends TenantScope {
  /** Of the request that brought it; sorts by time. */
  readonly requestId: string;
  readonly channelId: string;
  readonly wabaId: string;
  readonly phoneNumberId: string;
  readonly receivedAt: Date;
  /** The raw body. */
  readonly body: Buffer;
}

/** Webhooks of one statement: with the longest body that there is, and its hexadecimal form, some 150 MB. */
const maxBatch = 16;

const insert = `
  insert into chatapp_webhooks (request_id, project_id, environment_id, channel_id, waba_id, phone_number_id, received_at, body)
  select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[], $8::bytea[])`;

/** Takes webhooks in. Those of one turn of the event loop share a transaction: a flush to disk serves them all. */
export class ChatappInbox {
  readonly #batch: BatchLoader<ChatappWebhook, true>;

  constructor(db: Queries) {
    this.#batch = new BatchLoader(async webhooks => {
      const column = (value: (webhook: ChatappWebhook) => unknown): unknown[] => webhooks.map(value);
      await db.query(
        insert,
        [
          column(({ requestId }) => requestId),
          column(({ projectId }) => projectId),
          column(({ environmentId }) => environmentId),
          column(({ channelId }) => channelId),
          column(({ wabaId }) => wabaId),
          column(({ phoneNumberId }) => phoneNumberId),
          column(({ receivedAt }) => receivedAt),
          column(({ body }) => body),
        ],
        'chatapp_webhooks.insert',
      );
      return webhooks.map(() => true as const);
    }, maxBatch);
  }

  /** Resolves once it is committed. */
  async add(webhook: ChatappWebhook): Promise<void> {
    await this.#batch.load(webhook);
  }
}

/** The channel's open webhooks, oldest first. */
export function openWebhooks(db: Queries, channelId: string, limit: number): Promise<ChatappWebhook[]> {
  return db.query<ChatappWebhook>(
    `select request_id as "requestId", project_id as "projectId", environment_id as "environmentId", channel_id as "channelId",
       waba_id as "wabaId", phone_number_id as "phoneNumberId", received_at as "receivedAt", body
     from chatapp_webhooks where channel_id = $1 and finished_at is null order by request_id limit $2`,
    [channelId, limit],
    'chatapp_webhooks.open',
  );
}

/**
 * Everything that it says is committed.
 *
 * @param threadIds the threads of those whom it names, whether they exist or not: when one is erased, so is the webhook
 */
export async function finishWebhook(
  db: Queries,
  requestId: string,
  threadIds: readonly string[],
  now: number,
): Promise<void> {
  await db.query(
    'update chatapp_webhooks set thread_ids = $2, finished_at = $3 where request_id = $1',
    [requestId, threadIds, new Date(now)],
    'chatapp_webhooks.finish',
  );
}

/** A webhook that fails so often is finished as it is: it must not hold back those behind it for ever. */
const maxAttempts = 5;

/** Counts a failure. Gives whether it was the last one. */
export async function failWebhook(
  db: Queries,
  requestId: string,
  error: string,
  now: number,
): Promise<boolean> {
  const [row] = await db.query<{ isOver: boolean }>(
    `update chatapp_webhooks set attempts = attempts + 1, error = $2,
       finished_at = case when attempts + 1 >= ${maxAttempts} then $3::timestamptz end
     where request_id = $1 returning finished_at is not null as "isOver"`,
    [requestId, error, new Date(now)],
    'chatapp_webhooks.fail',
  );
  return row?.isOver === true;
}

/** The next channels with open webhooks, in the order of their ids, after the given one. */
export async function channelsWithWebhooks(db: Queries, limit: number, after = ''): Promise<string[]> {
  const rows = await db.query<{ channelId: string }>(
    `with recursive found as (
       (select channel_id from chatapp_webhooks where finished_at is null and channel_id > $1 order by channel_id limit 1)
       union all
       select (select w.channel_id from chatapp_webhooks w
         where w.finished_at is null and w.channel_id > found.channel_id order by w.channel_id limit 1)
       from found where found.channel_id is not null
     )
     select channel_id as "channelId" from found where channel_id is not null limit $2`,
    [after, limit],
    'chatapp_webhooks.channels',
  );
  return rows.map(({ channelId }) => channelId);
}
