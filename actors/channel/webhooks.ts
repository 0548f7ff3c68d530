/**
 * Works through the provider's webhooks of a channel: what they say becomes messages of threads, by the decision that messages of custom
 * channels take. A webhook was committed before it was answered (gateway/handlers/chatapp-webhook.ts), and stays open until everything
 * that it says is committed, too. So a crash loses nothing, and what it interrupts is done again: a message that its thread has is known
 * by the provider's id.
 *
 * Webhooks are worked through in the order in which they came, a page of them at a time, and their messages in the order in which they were
 * sent. Where a page fails, its webhooks are worked through one by one. One that fails by itself holds back those behind it, until it has
 * failed so often that it is given up (storage/chatapp).
 */
import { ServiceError } from '../../protocol/errors.ts';
import {
  type ChatappWebhook,
  failWebhook,
  finishWebhooks,
  openWebhooks,
} from '../../storage/chatapp/index.ts';
import { type ChannelHead, findChannelHead, findMessageIds } from '../../storage/reads/index.ts';
import {
  type ChatappMessage,
  listNames,
  listReferences,
  parsePayload,
  readMessages,
} from '../chatapp/index.ts';
import { takeManagementEvents } from './management.ts';
import { ParticipantThreads } from './participant-threads.ts';
import { recordStatuses } from './statuses.ts';
import type { WebhookContent, WebhookTask } from './webhook-task.ts';

/** Webhooks, and bytes of them, that one task works through: a node that drains waits for its tasks. */
const page = { webhooks: 400, bytes: 1_048_576 };
/** Threads that are asked at once: fewer than a mailbox takes, if all messages are of one thread. */
const asksAtOnce = 200;

/** Works through the oldest webhooks, and may leave more of them. Never rejects for what one of them says. */
export async function workThroughWebhooks(
  services: WebhookTask,
  channelId: string,
): Promise<{ readonly hasMore: boolean }> {
  const channel = await findChannelHead(services.db, channelId);
  if (channel === undefined) return { hasMore: false };
  const webhooks = await openWebhooks(services.db, channelId, page);
  const bytes = webhooks.reduce((sum, { body }) => sum + body.length, 0);
  const hasMore = webhooks.length === page.webhooks || bytes >= page.bytes;
  if (webhooks.length > 1) {
    try {
      await takeAll(services, channel, webhooks);
      return { hasMore };
    } catch (err) {
      if (isUnavailable(err)) return { hasMore: false };
    }
  }
  for (const webhook of webhooks) {
    if (!(await takeOne(services, channel, webhook))) return { hasMore: false };
  }
  return { hasMore };
}

/** What the node cannot do now says nothing of a webhook. */
function isUnavailable(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'svc/runtime/unavailable';
}

/** Gives whether the next one may follow. */
async function takeOne(
  services: WebhookTask,
  channel: ChannelHead,
  webhook: ChatappWebhook,
): Promise<boolean> {
  const { db, log, now } = services;
  const { requestId, channelId } = webhook;
  try {
    await takeAll(services, channel, [webhook]);
    return true;
  } catch (err) {
    if (isUnavailable(err)) return false;
    const isOver = await failWebhook(db, requestId, String(err), now());
    log.error(
      { err, channelId, requestId, isOver },
      'a webhook of the chat provider could not be worked through',
    );
    return isOver;
  }
}

/** Resolves once everything that the webhooks say is committed, and that they are finished. */
async function takeAll(
  services: WebhookTask,
  channel: ChannelHead,
  webhooks: readonly ChatappWebhook[],
): Promise<void> {
  const { db, now } = services;
  const contents = webhooks.map(toContent);
  const names = contents.map(({ payload, identity }) => listNames(payload, identity));
  const threads = await ParticipantThreads.load(db, channel, names.flat());
  await takeMessages(services, channel, threads, contents);
  await recordStatuses(services, channel, contents);
  await takeManagementEvents(services, channel, contents);
  const finished = webhooks.map(({ requestId }, index) => ({
    requestId,
    threadIds: threads.listThreadIds(names[index] ?? []),
  }));
  await finishWebhooks(db, finished, now());
}

function toContent({ wabaId, phoneNumberId, receivedAt, body }: ChatappWebhook): WebhookContent {
  const identity = { wabaId, phoneNumberId };
  return { payload: parsePayload(body), identity, receivedAt: receivedAt.getTime() };
}

/** Brings the messages that the channel does not have yet to their threads. */
async function takeMessages(
  { db, receive, ask, now }: WebhookTask,
  channel: ChannelHead,
  threads: ParticipantThreads,
  webhooks: readonly WebhookContent[],
): Promise<void> {
  const messages = listMessages(webhooks);
  if (messages.length === 0) return;
  const ids = messages.map(({ externalMessageId }) => externalMessageId);
  const messageIds = await findMessageIds(db, channel, [...ids, ...messages.flatMap(listReferences)]);
  const unknown = messages.filter(({ externalMessageId }) => !messageIds.has(externalMessageId));
  for (let from = 0; from < unknown.length; from += asksAtOnce) {
    // Asked in their order: those of one thread are decided in it.
    const asks = unknown
      .slice(from, from + asksAtOnce)
      .map(message => receive(ask, { channel, message, thread: threads.find(message), messageIds }, now()));
    const failed = (await Promise.allSettled(asks)).find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  }
  if (unknown.some(({ file }) => file !== null)) {
    await ask({ kind: 'channel', id: channel.channelId }, 'work', { work: 'files' });
  }
}

/** Once each, in the order in which they were sent. */
function listMessages(webhooks: readonly WebhookContent[]): ChatappMessage[] {
  const found = new Map<string, ChatappMessage>();
  for (const { payload, identity, receivedAt } of webhooks) {
    for (const message of readMessages(payload, identity, receivedAt)) {
      if (!found.has(message.externalMessageId)) found.set(message.externalMessageId, message);
    }
  }
  return [...found.values()].sort((a, b) => a.sentAt - b.sentAt);
}
