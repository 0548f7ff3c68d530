/**
 * Processes the provider's webhooks of a channel: what they say becomes messages of threads, by the decision that messages of custom
 * channels take. A webhook was committed before it was answered (gateway/handlers/chatapp-webhook.ts), and stays open until everything
 * that it says is committed, too. So a crash loses nothing, and interrupted work is repeated: a thread recognises a message that it has
 * by the provider's id.
 *
 * Webhooks are processed in the order in which they came, a page at a time, and their messages in the order in which they were sent. If a
 * page fails, its webhooks are processed one by one. A webhook that fails on its own is retried with back-off. Three kinds of failures:
 *
 *   refused    an actor refused a message. It would do so again: after some refusals the webhook is a dead letter (storage/chatapp).
 *   away       the node is overloaded or the database is away. This says nothing about the webhook: all webhooks of the channel wait.
 *   failed     any other error. It may pass, so the webhook is retried without limit. It first holds back those behind it, then they overtake it.
 */
import { ServiceError } from '../../protocol/errors.ts';
import { describeError, isRefusal } from '../../runtime/actor/index.ts';
import {
  type ChatappWebhook,
  failWebhook,
  findErasedIds,
  finishWebhooks,
  openWebhooks,
  postponeWebhook,
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
import type { WorkDone } from './commands.ts';
import { takeManagementEvents } from './management.ts';
import { type FoundThread, ParticipantThreads } from './participant-threads.ts';
import { recordStatuses } from './statuses.ts';
import type { WebhookContent, WebhookTask } from './webhook-task.ts';

/** Maximum number of webhooks that are processed together, and of their bytes. */
const page = { webhooks: 1_000, bytes: 2_097_152 };
/** Pages of one task: a node that drains waits for its tasks. */
const pagesOfTask = 4;
/** Messages that are in flight to their threads at once. */
const asksAtOnce = 300;
/** How long the webhooks of a channel wait while the node or the database is away, in milliseconds. */
const awayMs = 2_000;

/**
 * Processes the oldest webhooks, and may leave more of them. Never rejects for the contents of one.
 *
 * While the messages of a page are brought to their threads, the next page is read, and the one before is marked as finished: each page
 * waits for the database once and not three times.
 */
export async function workThroughWebhooks(
  services: WebhookTask,
  channelId: string,
): Promise<Omit<WorkDone, 'work'>> {
  const { db } = services;
  const channel = await findChannelHead(db, channelId);
  if (channel === undefined) return { hasMore: false };
  let reading = readPage(services, channelId);
  let finishing: Promise<unknown> = Promise.resolve();
  let nextAt: number | undefined;
  try {
    for (let pages = 1; ; pages++) {
      const { webhooks, isFull, last } = await reading;
      const goesOn = isFull && pages < pagesOfTask;
      if (goesOn) reading = settleLater(readPage(services, channelId, last));
      const { finished, isHeld, retryAt } = await takePage(services, channel, webhooks);
      nextAt = earlier(nextAt, retryAt);
      await finishing;
      const hasMore = isFull && !isHeld;
      if (finished.length > 0) finishing = settleLater(finishWebhooks(db, channelId, finished));
      if (!goesOn || isHeld) return { hasMore, ...(nextAt === undefined ? {} : { nextAt }) };
    }
  } finally {
    await finishing;
  }
}

function earlier(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}

/** Handles a rejection that may come before the promise is awaited. */
function settleLater<T>(work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  return work;
}

interface Page {
  readonly webhooks: ChatappWebhook[];
  readonly isFull: boolean;
  readonly last: string;
}

/** Reads a smaller page if the statement for this one reaches its time limit. */
async function readPage(task: WebhookTask, channelId: string, after = '', size = page): Promise<Page> {
  try {
    const limits = { ...size, now: task.now() };
    const webhooks = await openWebhooks(task.db, task.recentWebhooks, channelId, limits, after);
    const bytes = webhooks.reduce((sum, { body }) => sum + body.length, 0);
    const isFull = webhooks.length === size.webhooks || bytes >= size.bytes;
    return { webhooks, isFull, last: webhooks.at(-1)?.requestId ?? after };
  } catch (error) {
    if (!isInterrupted(error) || size.webhooks === 1) throw error;
    return readPage(task, channelId, after, { ...size, webhooks: Math.ceil(size.webhooks / 10) });
  }
}

interface Taken {
  /** Ids of webhooks that are to be marked as finished. */
  readonly finished: readonly string[];
  /** No webhook behind them may follow yet. */
  readonly isHeld: boolean;
  /** When one of them is retried, in epoch milliseconds. */
  readonly retryAt: number | undefined;
}

async function takePage(
  services: WebhookTask,
  channel: ChannelHead,
  webhooks: readonly ChatappWebhook[],
): Promise<Taken> {
  const [first] = webhooks;
  if (first === undefined) return { finished: [], isHeld: false, retryAt: undefined };
  if (webhooks.length > 1) {
    try {
      await takeAll(services, channel, webhooks);
      return { finished: webhooks.map(({ requestId }) => requestId), isHeld: false, retryAt: undefined };
    } catch (err) {
      if (isAway(err)) return postpone(services, channel, first, err);
    }
  }
  let retryAt: number | undefined;
  for (const webhook of webhooks) {
    const taken = await takeOne(services, channel, webhook);
    retryAt = earlier(retryAt, taken.retryAt);
    if (taken.isHeld) return { ...taken, retryAt };
  }
  return { finished: [], isHeld: false, retryAt };
}

/**
 * Whether the node or the database is away for every webhook. Reaching a time limit is no such error: a single webhook may be what
 * takes so long.
 */
function isAway(error: unknown): boolean {
  const isLate = error instanceof ServiceError && error.details?.['reason'] === 'deadline';
  return isUnavailable(error) && !isInterrupted(error) && !isLate;
}

async function postpone(
  { db, log, now }: WebhookTask,
  { channelId }: ChannelHead,
  { requestId }: ChatappWebhook,
  err: unknown,
): Promise<Taken> {
  log.warn({ err, channelId }, 'the webhooks of a channel wait');
  const retryAt = now() + awayMs;
  await postponeWebhook(db, channelId, requestId, retryAt);
  return { finished: [], isHeld: true, retryAt };
}

async function takeOne(services: WebhookTask, channel: ChannelHead, webhook: ChatappWebhook): Promise<Taken> {
  const { db, log, now } = services;
  const { requestId } = webhook;
  const { channelId } = channel;
  try {
    await takeAll(services, channel, [webhook]);
    await finishWebhooks(db, channelId, [requestId]);
    return { finished: [], isHeld: false, retryAt: undefined };
  } catch (err) {
    if (isAway(err)) return postpone(services, channel, webhook, err);
    const failure = { error: describeError(err), isRefusal: isRefusal(err), now: now() };
    const failed = await failWebhook(db, channelId, requestId, failure);
    const level = failed?.state === 'given_up' ? 'error' : 'warn';
    log[level]({ err, channelId, requestId, state: failed?.state }, 'a webhook of the chat provider failed');
    return { finished: [], isHeld: failed?.state === 'held', retryAt: failed?.nextAt };
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
