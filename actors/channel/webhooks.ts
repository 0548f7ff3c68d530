/**
 * Works through the provider's webhooks of a channel: what they say becomes messages of threads, by the decision that messages of custom
 * channels take. A webhook was committed before it was answered (gateway/handlers/chatapp-webhook.ts), and stays open until everything
 * that it says is committed, too. So a crash loses nothing, and what it interrupts is done again: a message that its thread has is known
 * by the provider's id.
 *
 * Webhooks are worked through in the order in which they came, and the messages of one in the order in which they were sent. One that fails
 * holds back those behind it, until it has failed so often that it is given up (storage/chatapp).
 */
import { ServiceError } from '../../protocol/errors.ts';
import { deriveThreadId } from '../../protocol/ids.ts';
import type { ActorRef } from '../../runtime/actor/index.ts';
import type { Log } from '../../runtime/observability/index.ts';
import {
  type ChatappWebhook,
  failWebhook,
  finishWebhook,
  openWebhooks,
} from '../../storage/chatapp/index.ts';
import type { Database } from '../../storage/database/index.ts';
import { type ChannelHead, findChannelHead, findExternalIds } from '../../storage/reads/index.ts';
import { type ChatappMessage, listParticipants, parsePayload, readMessages } from '../chatapp/index.ts';

/** Rejects with the `ServiceError` of the actor that was asked. */
type Ask = (to: ActorRef, command: string, payload: unknown) => Promise<unknown>;

/**
 * Brings a message to its thread (actors/thread/receive-from-provider.ts, which imports this module). Resolves once the thread has it,
 * which it may have had before.
 */
export type ReceiveFromProvider = (
  ask: Ask,
  channel: ChannelHead,
  message: ChatappMessage,
  now: number,
) => Promise<void>;

/** What the node gives to the tasks of channels. */
export interface WebhookServices {
  readonly db: Pick<Database, 'query'>;
  readonly log: Log;
  readonly receive: ReceiveFromProvider;
}

interface TaskServices extends WebhookServices {
  readonly ask: Ask;
  readonly now: () => number;
}

/** Webhooks that one task works through: a node that drains waits for its tasks. */
const pageSize = 20;
/** Threads that are asked at once: fewer than a mailbox takes, if all messages are of one thread. */
const asksAtOnce = 200;

/** Works through the oldest webhooks. Gives whether there may be more of them to work through now. Never rejects for what one of them says. */
export async function workThroughWebhooks(services: TaskServices, channelId: string): Promise<boolean> {
  const channel = await findChannelHead(services.db, channelId);
  if (channel === undefined) return false;
  const webhooks = await openWebhooks(services.db, channelId, pageSize);
  for (const webhook of webhooks) if (!(await workThrough(services, channel, webhook))) return false;
  return webhooks.length === pageSize;
}

/** Gives whether the next one may follow. */
async function workThrough(
  { db, log, receive, ask, now }: TaskServices,
  channel: ChannelHead,
  webhook: ChatappWebhook,
): Promise<boolean> {
  const { requestId, channelId, wabaId, phoneNumberId, receivedAt, body } = webhook;
  try {
    const identity = { wabaId, phoneNumberId };
    const payload = parsePayload(body);
    const messages = readMessages(payload, identity, receivedAt.getTime());
    const ids = messages.map(({ externalMessageId }) => externalMessageId);
    const known = ids.length === 0 ? new Set<string>() : await findExternalIds(db, channelId, ids);
    const unknown = messages.filter(({ externalMessageId }) => !known.has(externalMessageId));
    for (let from = 0; from < unknown.length; from += asksAtOnce) {
      // Asked in their order: those of one thread are decided in it.
      const asks = unknown
        .slice(from, from + asksAtOnce)
        .map(message => receive(ask, channel, message, now()));
      const failed = (await Promise.allSettled(asks)).find(({ status }) => status === 'rejected');
      if (failed?.status === 'rejected') throw failed.reason;
    }
    const threadIds = listParticipants(payload, identity).map(participant =>
      deriveThreadId(channel.environmentId, channelId, participant),
    );
    await finishWebhook(db, requestId, threadIds, now());
    return true;
  } catch (err) {
    // What the node cannot do now says nothing of the webhook.
    if (err instanceof ServiceError && err.code === 'svc/runtime/unavailable') return false;
    const isOver = await failWebhook(db, requestId, String(err), now());
    log.error(
      { err, channelId, requestId, isOver },
      'a webhook of the chat provider could not be worked through',
    );
    return isOver;
  }
}
