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
import { createFindChannels } from './channels-with-work.ts';

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

/** The most webhooks that are read at once, and bytes of them; one is read however long it is. */
export interface WebhookPage {
  readonly webhooks: number;
  readonly bytes: number;
}

/** The channel's open webhooks, oldest first, beyond that of the given id. */
export function openWebhooks(
  db: Queries,
  channelId: string,
  { webhooks, bytes }: WebhookPage,
  after = '',
): Promise<ChatappWebhook[]> {
  return db.query<ChatappWebhook>(
    `select request_id as "requestId", project_id as "projectId", environment_id as "environmentId", channel_id as "channelId",
       waba_id as "wabaId", phone_number_id as "phoneNumberId", received_at as "receivedAt", body
     from (
       select *, sum(octet_length(body)) over (order by request_id) - octet_length(body) as bytes_before from (
         select * from chatapp_webhooks where channel_id = $1 and finished_at is null and request_id > $4
         order by request_id limit $2
       ) oldest
     ) counted
     where bytes_before < $3 order by request_id`,
    [channelId, webhooks, bytes, after],
    'chatapp_webhooks.open',
  );
}

export interface FinishedWebhook {
  readonly requestId: string;
  /** The threads of those whom it names, whether they exist or not: when one is erased, so is the webhook. */
  readonly threadIds: readonly string[];
}

/** Everything that they say is committed. */
export async function finishWebhooks(
  db: Queries,
  webhooks: readonly FinishedWebhook[],
  now: number,
): Promise<void> {
  await db.query(
    `update chatapp_webhooks w set thread_ids = done.thread_ids::text[], finished_at = $3
     from unnest($1::text[], $2::text[]) as done (request_id, thread_ids) where w.request_id = done.request_id`,
    [
      webhooks.map(({ requestId }) => requestId),
      // PostgreSQL has no arrays of arrays of different lengths. Ids need no quotes.
      webhooks.map(({ threadIds }) => `{${threadIds.join(',')}}`),
      new Date(now),
    ],
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

/** Channels with open webhooks. */
export const channelsWithWebhooks = createFindChannels('chatapp_webhooks', 'finished_at is null');
