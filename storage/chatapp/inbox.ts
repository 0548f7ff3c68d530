/**
 * The webhooks of the chat provider, as they came: stored before they are answered, then processed by their channel, oldest first.
 *
 *   open -> finished      processed
 *   open -> waiting       it failed: it is retried at `next_at`, without limit
 *   waiting -> open       its time has come
 *   waiting -> given up   an actor refused one of its messages `maxRefusals` times: a dead letter
 *   given up -> open      an operator runs the dead letter again (storage/writes/webhooks.ts)
 *
 * A waiting webhook holds back those behind it, because messages must stay in their order. After `holdAttempts` failures it is isolated:
 * those behind it overtake it, and its retries go on.
 *
 * Every webhook that is neither finished nor given up has a row of `chatapp_open_webhooks`, so that finishing one deletes a short row
 * and rewrites no long one. Finished webhooks are kept for a while, because the provider cannot be asked for them again
 * (storage/retention).
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

/** Failures after which a webhook is isolated: by then it has held back those behind it for about a minute. */
const holdAttempts = 7;

/** Refusals after which a webhook is given up; its other failures do not count. */
const maxRefusals = 5;

const firstRetryMs = 1_000;
const maxRetryMs = 300_000;

/** Maximum number of webhooks in a page, and of their bytes; a longer webhook is a page by itself. */
export interface WebhookPage {
  readonly webhooks: number;
  readonly bytes: number;
  /** Epoch milliseconds: webhooks whose retry is due by then are read. */
  readonly now: number;
}

/** The channel's webhooks that may be processed now, oldest first, after the given id. Ends before a webhook that holds back the others. */
export async function openWebhooks(
  db: Queries,
  recent: RecentWebhooks,
  channelId: string,
  { webhooks, bytes, now }: WebhookPage,
  after = '',
): Promise<ChatappWebhook[]> {
  const open = await db.query<{ readonly requestId: string }>(
    `select request_id as "requestId" from (
       select request_id, sum(bytes) over oldest_first - bytes as bytes_before, bool_or(next_at > $5) over oldest_first as is_held
       from (
         select request_id, bytes, next_at from chatapp_open_webhooks
         where channel_id = $1 and request_id > $4 and (next_at is null or next_at <= $5 or attempts < ${holdAttempts})
         order by request_id limit $2
       ) oldest window oldest_first as (order by request_id)
     ) counted where bytes_before < $3 and is_held is not true order by request_id`,
    [channelId, webhooks, bytes, after, new Date(now)],
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

/** What has become of a webhook that failed. */
export interface FailedWebhook {
  /** `held`: it holds back those behind it. */
  readonly state: 'held' | 'isolated' | 'given_up';
  /** When it is retried, in epoch milliseconds; undefined: never, it was given up. */
  readonly nextAt: number | undefined;
}

export interface WebhookFailure {
  readonly error: string;
  /** An actor refused what the webhook says. Any other failure may pass. */
  readonly isRefusal: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
}

const fail = `
  with failed as (
    update chatapp_open_webhooks o set attempts = attempts + 1, refusals = refusals + $4::int,
      next_at = $5::timestamptz + least($6 * power(2, least(attempts, 20)), $7) * interval '1 millisecond'
    where channel_id = $1 and request_id = $2 and refusals + $4::int < ${maxRefusals}
    returning attempts, next_at
  ), given_up as (
    delete from chatapp_open_webhooks
    where channel_id = $1 and request_id = $2 and refusals + $4::int >= ${maxRefusals}
    returning attempts + 1 as attempts
  ), letter as (
    insert into dead_letters (kind, actor_id, name, payload, error, attempts, created_at)
    select 'channel', $1, 'reopenWebhook', json_build_object('requestId', $2::text), $3, attempts, now() from given_up
  ), noted as (
    update chatapp_webhooks set error = $3 where request_id = $2 and channel_id = $1
  )
  select attempts, next_at as "nextAt" from failed union all select attempts, null from given_up`;

/** Records a failure and sets the time of the next attempt. Undefined: the webhook is not open any more. */
export async function failWebhook(
  db: Queries,
  channelId: string,
  requestId: string,
  { error, isRefusal, now }: WebhookFailure,
): Promise<FailedWebhook | undefined> {
  const [row] = await db.query<{ attempts: number; nextAt: Date | null }>(
    fail,
    [channelId, requestId, error.slice(0, 4_000), isRefusal ? 1 : 0, new Date(now), firstRetryMs, maxRetryMs],
    'chatapp_webhooks.fail',
  );
  if (row === undefined) return undefined;
  if (row.nextAt === null) return { state: 'given_up', nextAt: undefined };
  return { state: row.attempts < holdAttempts ? 'held' : 'isolated', nextAt: row.nextAt.getTime() };
}

/** The node or the database could not process a webhook now. It and those behind it wait until the given time; no failure is counted. */
export async function postponeWebhook(
  db: Queries,
  channelId: string,
  requestId: string,
  at: number,
): Promise<void> {
  await db.query(
    `update chatapp_open_webhooks set next_at = greatest(next_at, $3) where channel_id = $1 and request_id = $2`,
    [channelId, requestId, new Date(at)],
    'chatapp_webhooks.postpone',
  );
}

/** Channels with a webhook that is due. */
export const channelsWithWebhooks = createFindChannels(
  'chatapp_open_webhooks',
  '(t.next_at is null or t.next_at <= now())',
);
