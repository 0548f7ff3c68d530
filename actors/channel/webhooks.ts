/**
 * Works through the provider's webhooks of a channel: what they say becomes messages of threads, by the decision that messages of custom
 * channels take. A webhook was committed before it was answered (gateway/handlers/chatapp-webhook.ts), and stays open until everything
 * that it says is committed, too. So a crash loses nothing, and what it interrupts is done again: a message that its thread has is known
 * by the provider's id.
 *
 * Webhooks are worked through in the order in which they came, a page of them at a time, and their messages in the order in which they were
 * sent. Where a page fails, its webhooks are worked through one by one. One that fails by itself holds back those behind it, until it has
 * failed so often that it is given up (storage/chatapp). A node that is overloaded, or a database that is slow or away, says nothing of a
 * webhook: all of them wait, however often that happens.
 */
import {
  type ChatappWebhook,
  failWebhook,
  findErasedIds,
  finishWebhooks,
  openWebhooks,
} from '../../storage/chatapp/index.ts';
import { isInterrupted } from '../../storage/database/index.ts';
import { type ChannelHead, findChannelHead, findMessageIds } from '../../storage/reads/index.ts';
import { isUnavailable } from '../base/index.ts';
import {
  type ChatappMessage,
  listNames,
  listReferences,
  parsePayload,
  readMessages,
} from '../chatapp/index.ts';
import { takeManagementEvents } from './management.ts';
import { type FoundThread, ParticipantThreads } from './participant-threads.ts';
import { recordStatuses } from './statuses.ts';
import type { WebhookContent, WebhookTask } from './webhook-task.ts';

/** Webhooks, and bytes of them, that are worked through together. */
const page = { webhooks: 1_000, bytes: 2_097_152 };
/** Pages of one task: a node that drains waits for its tasks. */
const pagesOfTask = 4;
/** Messages that are on their way to their threads at once. */
const asksAtOnce = 300;

/**
 * Works through the oldest webhooks, and may leave more of them. Never rejects for what one of them says.
 *
 * While the messages of a page are brought to their threads, the next page is read, and the one before is marked as finished: the database
 * is waited for once a page and not three times.
 */
export async function workThroughWebhooks(
  services: WebhookTask,
  channelId: string,
): Promise<{ readonly hasMore: boolean }> {
  const { db } = services;
  const channel = await findChannelHead(db, channelId);
  if (channel === undefined) return { hasMore: false };
  let reading = readPage(services, channelId);
  let finishing: Promise<unknown> = Promise.resolve();
  try {
    for (let pages = 1; ; pages++) {
      const { webhooks, isFull, last } = await reading;
      const goesOn = isFull && pages < pagesOfTask;
      if (goesOn) reading = settleLater(readPage(services, channelId, last));
      const finished = await takePage(services, channel, webhooks);
      await finishing;
      if (finished === 'stop') return { hasMore: false };
      finishing = settleLater(finishWebhooks(db, channelId, finished));
      if (!goesOn) return { hasMore: isFull };
    }
  } finally {
    await finishing;
  }
}

/** It may fail before anybody waits for it. */
function settleLater<T>(work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  return work;
}

interface Page {
  readonly webhooks: ChatappWebhook[];
  readonly isFull: boolean;
  readonly last: string;
}

/** A page that takes longer to read than a statement may is read in smaller parts, the first of which it gives. */
async function readPage(task: WebhookTask, channelId: string, after = '', size = page): Promise<Page> {
  try {
    const webhooks = await openWebhooks(task.db, task.recentWebhooks, channelId, size, after);
    const bytes = webhooks.reduce((sum, { body }) => sum + body.length, 0);
    const isFull = webhooks.length === size.webhooks || bytes >= size.bytes;
    return { webhooks, isFull, last: webhooks.at(-1)?.requestId ?? after };
  } catch (error) {
    if (!isInterrupted(error) || size.webhooks === 1) throw error;
    return readPage(task, channelId, after, { ...size, webhooks: Math.ceil(size.webhooks / 10) });
  }
}

/** Gives the ids of those that are to be marked as finished; `stop` where nothing may follow yet. */
async function takePage(
  services: WebhookTask,
  channel: ChannelHead,
  webhooks: readonly ChatappWebhook[],
): Promise<readonly string[] | 'stop'> {
  if (webhooks.length > 1) {
    try {
      await takeAll(services, channel, webhooks);
      return webhooks.map(({ requestId }) => requestId);
    } catch (err) {
      // A statement that has reached its time limit may be shorter for one webhook.
      if (isUnavailable(err) && !isInterrupted(err)) return wait(services, channel, err);
    }
  }
  for (const webhook of webhooks) if (!(await takeOne(services, channel, webhook))) return 'stop';
  return [];
}

/** They stay open, and the recovery scanner comes back to them. */
function wait({ log }: WebhookTask, { channelId }: ChannelHead, err: unknown): 'stop' {
  log.warn({ err, channelId }, 'the webhooks of a channel wait');
  return 'stop';
}

/** Gives whether the next one may follow. */
async function takeOne(
  services: WebhookTask,
  channel: ChannelHead,
  webhook: ChatappWebhook,
): Promise<boolean> {
  const { db, log } = services;
  const { requestId } = webhook;
  const { channelId } = channel;
  try {
    await takeAll(services, channel, [webhook]);
    await finishWebhooks(db, channelId, [requestId]);
    return true;
  } catch (err) {
    if (isUnavailable(err)) {
      wait(services, channel, err);
      return false;
    }
    const isOver = await failWebhook(db, channelId, requestId, String(err));
    log.error(
      { err, channelId, requestId, isOver },
      'a webhook of the chat provider could not be worked through',
    );
    return isOver;
  }
}

/** Resolves once everything that the webhooks say is committed: they are finished. */
async function takeAll(
  services: WebhookTask,
  channel: ChannelHead,
  webhooks: readonly ChatappWebhook[],
): Promise<void> {
  const contents = webhooks.map(toContent);
  await takeMessages(services, channel, contents);
  await recordStatuses(services, channel, contents);
  await takeManagementEvents(services, channel, contents);
}

function toContent(webhook: ChatappWebhook): WebhookContent {
  const { requestId, wabaId, phoneNumberId, receivedAt, body, payload = parsePayload(body) } = webhook;
  return { requestId, payload, identity: { wabaId, phoneNumberId }, receivedAt: receivedAt.getTime() };
}

/** Brings the messages that the channel neither has nor had to their threads. */
async function takeMessages(
  services: WebhookTask,
  channel: ChannelHead,
  webhooks: readonly WebhookContent[],
): Promise<void> {
  const { db, hash, log, ask } = services;
  const { channelId } = channel;
  const messages = listMessages(webhooks, requestId =>
    log.warn(
      { channelId, requestId },
      'a message of the chat provider has no id or no sender: it is left out',
    ),
  );
  if (messages.length === 0) return;
  const names = webhooks.flatMap(({ payload, identity }) => listNames(payload, identity));
  const ids = messages.map(({ externalMessageId }) => externalMessageId);
  const [threads, erased, messageIds] = await Promise.all([
    ParticipantThreads.load(db, channel, names),
    findErasedIds(db, hash, channel, ids),
    findMessageIds(db, channel, [...ids, ...messages.flatMap(listReferences)]),
  ]);
  const unknown = messages.filter(
    ({ externalMessageId }) => !messageIds.has(externalMessageId) && !erased.has(externalMessageId),
  );
  await bringToThreads(services, channel, unknown, { threads, messageIds: new Map(messageIds) });
  if (unknown.some(({ file }) => file !== null)) {
    await ask({ kind: 'channel', id: channelId }, 'work', { work: 'files' });
  }
}

/** What is known of the messages of a page; more with each that is committed. */
interface PageKnowledge {
  readonly threads: ParticipantThreads;
  /** Our ids by the provider's. */
  readonly messageIds: Map<string, string>;
}

/**
 * Each message of a thread is asked once the one before it is committed: were they asked together, and the commit of the first one failed,
 * it would come again behind the others. So a message may also refer to those before it.
 */
async function bringToThreads(
  { receive, ask, now }: WebhookTask,
  channel: ChannelHead,
  messages: readonly ChatappMessage[],
  { threads, messageIds }: PageKnowledge,
): Promise<void> {
  const asks: Promise<void>[] = [];
  const lastOfThreads = new Map<string, Promise<void>>();
  const bring = async (message: ChatappMessage, thread: FoundThread, before?: Promise<void>) => {
    await before;
    const messageId = await receive(ask, { channel, message, thread, messageIds }, now());
    if (messageId !== undefined) messageIds.set(message.externalMessageId, messageId);
  };
  try {
    for (const message of messages) {
      await asks[asks.length - asksAtOnce];
      const thread = threads.find(message);
      const asked = settleLater(bring(message, thread, lastOfThreads.get(thread.threadId)));
      lastOfThreads.set(thread.threadId, asked);
      asks.push(asked);
    }
    await Promise.all(asks);
  } finally {
    // What is repeated must not meet what is still on its way.
    await Promise.allSettled(asks);
  }
}

/** Once each, in the order in which they were sent. */
function listMessages(
  webhooks: readonly WebhookContent[],
  onUnreadable: (requestId: string) => void,
): ChatappMessage[] {
  const found = new Map<string, ChatappMessage>();
  for (const { requestId, payload, identity, receivedAt } of webhooks) {
    for (const message of readMessages(payload, identity, receivedAt, () => onUnreadable(requestId))) {
      if (!found.has(message.externalMessageId)) found.set(message.externalMessageId, message);
    }
  }
  return [...found.values()].sort((a, b) => a.sentAt - b.sentAt);
}
