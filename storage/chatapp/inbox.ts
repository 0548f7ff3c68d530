/**
 * The webhooks of the chat provider, as they came: stored before they are answered, then worked through by their channel, oldest first.
 *
 *   open -> finished     worked through
 *   open -> finished     with an error, after `maxAttempts` that failed
 *
 * Those that are open have a row of `chatapp_open_webhooks`, so that to finish one removes a short row and rewrites no long one. What is
 * finished is kept for a while, because the provider has no way to ask for it again (storage/retention).
 */
import type { Queries, TenantScope } from '../database/index.ts';
import { type ColumnType, toParameters } from '../statements/index.ts';
import { createFindChannels } from './channels-with-work.ts';
import type { ChatappWebhook, RecentWebhooks } from './recent-webhooks.ts';

export interface NewChatappWebhook extends ChatappWebhook, TenantScope {
  readonly channelId: string;
  /** Those that are derived from the names in it, whether they exist or not: when one is erased, so is the webhook. */
  readonly threadIds: readonly string[];
}

const insert = {
  columns: [
    'text',
    'text',
    'text',
    'text',
    'text',
    'text',
    'timestamptz',
    'text[]',
    'bytea',
    'int',
  ] satisfies ColumnType[],
  text: `
  with kept as (
    insert into chatapp_webhooks
      (request_id, channel_id, project_id, environment_id, waba_id, phone_number_id, received_at, thread_ids, body)
    select unnest($1::text[]), unnest($2::text[]), unnest($3::text[]), unnest($4::text[]), unnest($5::text[]), unnest($6::text[]),
      unnest($7::timestamptz[]), unnest($8::text[])::text[], unnest($9::bytea[])
  )
  insert into chatapp_open_webhooks (request_id, channel_id, bytes) select unnest($1::text[]), unnest($2::text[]), unnest($10::int[])`,
};

/** Of one statement, and bytes of them; one is written however long it is. */
const batch = { webhooks: 500, bytes: 4_194_304 };

interface Waiting {
  readonly webhook: NewChatappWebhook;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Takes webhooks in. While a statement runs, those that come gather for the next one, and a flush to disk serves all of them: with sixteen
 * a statement, and as many statements at once as there are connections, a webhook took the database half as long again.
 */
export class ChatappInbox {
  readonly #db: Queries;
  readonly #recent: RecentWebhooks;
  readonly #onKept: (channelId: string) => void;
  #waiting: Waiting[] = [];
  #isWriting = false;

  /** @param onKept is told of a channel once for all webhooks that were committed together */
  constructor(db: Queries, recent: RecentWebhooks, onKept: (channelId: string) => void) {
    this.#db = db;
    this.#recent = recent;
    this.#onKept = onKept;
  }

  /** Resolves once it is committed. */
  add(webhook: NewChatappWebhook): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ webhook, resolve, reject });
      if (this.#isWriting) return;
      this.#isWriting = true;
      // What else came in this turn of the event loop goes along.
      setImmediate(() => void this.#writeAll());
    });
  }

  /** Never rejects. */
  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const taken = this.#takeBatch();
      try {
        await this.#write(taken.map(({ webhook }) => webhook));
        for (const { webhook, resolve } of taken) {
          this.#recent.add(webhook);
          resolve();
        }
        for (const channelId of new Set(taken.map(({ webhook }) => webhook.channelId)))
          this.#onKept(channelId);
      } catch (error) {
        for (const { reject } of taken) reject(error);
      }
    }
    this.#isWriting = false;
  }

  #takeBatch(): readonly Waiting[] {
    let bytes = 0;
    const tooMany = this.#waiting.findIndex(({ webhook }, index) =>
      (bytes += webhook.body.length) > batch.bytes ? index > 0 : index === batch.webhooks,
    );
    return this.#waiting.splice(0, tooMany === -1 ? this.#waiting.length : tooMany);
  }

  async #write(webhooks: readonly NewChatappWebhook[]): Promise<void> {
    const rows = webhooks.map(webhook => [
      webhook.requestId,
      webhook.channelId,
      webhook.projectId,
      webhook.environmentId,
      webhook.wabaId,
      webhook.phoneNumberId,
      webhook.receivedAt.toISOString(),
      webhook.threadIds,
      webhook.body,
      webhook.body.length,
    ]);
    await this.#db.query(insert.text, toParameters(insert, rows), 'chatapp_webhooks.insert');
  }
}

/** The most webhooks that are read at once, and bytes of them; one is read however long it is. */
export interface WebhookPage {
  readonly webhooks: number;
  readonly bytes: number;
}

/** The channel's open webhooks, oldest first, beyond that of the given id. */
export async function openWebhooks(
  db: Queries,
  recent: RecentWebhooks,
  channelId: string,
  { webhooks, bytes }: WebhookPage,
  after = '',
): Promise<ChatappWebhook[]> {
  const open = await db.query<{ readonly requestId: string }>(
    `select request_id as "requestId" from (
       select request_id, sum(bytes) over (order by request_id) - bytes as bytes_before from (
         select request_id, bytes from chatapp_open_webhooks where channel_id = $1 and request_id > $4 order by request_id limit $2
       ) oldest
     ) counted where bytes_before < $3 order by request_id`,
    [channelId, webhooks, bytes, after],
    'chatapp_webhooks.open',
  );
  const known = open.map(({ requestId }) => recent.take(requestId));
  const unknown = open.map(({ requestId }) => requestId).filter((_, index) => known[index] === undefined);
  const read = unknown.length === 0 ? [] : await readWebhooks(db, channelId, unknown);
  const found = new Map(read.map(webhook => [webhook.requestId, webhook]));
  return open
    .map(({ requestId }, index) => known[index] ?? found.get(requestId))
    .filter(webhook => webhook !== undefined);
}

function readWebhooks(
  db: Queries,
  channelId: string,
  requestIds: readonly string[],
): Promise<ChatappWebhook[]> {
  return db.query<ChatappWebhook>(
    `select request_id as "requestId", waba_id as "wabaId", phone_number_id as "phoneNumberId", received_at as "receivedAt", body
     from chatapp_webhooks where channel_id = $1 and request_id = any ($2::text[])`,
    [channelId, requestIds],
    'chatapp_webhooks.read',
  );
}

/** Everything that they say is committed. */
export async function finishWebhooks(
  db: Queries,
  channelId: string,
  requestIds: readonly string[],
): Promise<void> {
  await db.query(
    'delete from chatapp_open_webhooks where channel_id = $1 and request_id = any ($2::text[])',
    [channelId, requestIds],
    'chatapp_webhooks.finish',
  );
}

/** A webhook that fails so often is finished as it is: it must not hold back those behind it for ever. */
const maxAttempts = 5;

/** Counts a failure. Gives whether it was the last one. */
export async function failWebhook(
  db: Queries,
  channelId: string,
  requestId: string,
  error: string,
): Promise<boolean> {
  const [row] = await db.query<{ isOver: boolean }>(
    `with failed as (
       update chatapp_open_webhooks set attempts = attempts + 1 where channel_id = $1 and request_id = $2 returning attempts
     ), noted as (
       update chatapp_webhooks set error = $3 where request_id = $2 and channel_id = $1
     )
     select attempts >= ${maxAttempts} as "isOver" from failed`,
    [channelId, requestId, error],
    'chatapp_webhooks.fail',
  );
  if (row?.isOver === true) await finishWebhooks(db, channelId, [requestId]);
  return row?.isOver === true;
}

/** Channels with open webhooks. */
export const channelsWithWebhooks = createFindChannels('chatapp_open_webhooks', 'true');
