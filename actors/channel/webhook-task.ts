/** What working through webhooks of the chat provider needs, and what it is given of each. */
import type { ActorRef } from '../../runtime/actor/index.ts';
import type { Log } from '../../runtime/observability/index.ts';
import type { Database } from '../../storage/database/index.ts';
import type { ExternalIdHash, RecentWebhooks } from '../../storage/chatapp/index.ts';
import type { ChannelHead } from '../../storage/reads/index.ts';
import type { ChatappIdentity, ChatappMessage } from '../chatapp/index.ts';
import type { FoundThread } from './participant-threads.ts';

/** Rejects with the `ServiceError` of the actor that was asked. */
type Ask = (to: ActorRef, command: string, payload: unknown) => Promise<unknown>;

/** A message of a webhook, for its thread. */
export interface ProviderMessage {
  readonly channel: ChannelHead;
  readonly message: ChatappMessage;
  readonly thread: FoundThread;
  /** Our ids of the messages that it refers to, by the provider's ids. */
  readonly messageIds: ReadonlyMap<string, string>;
}

/**
 * Brings a message to its thread (actors/thread/receive-from-provider.ts, which imports this module). Resolves with our id of it once the
 * thread has it; undefined where it had it before.
 */
export type ReceiveFromProvider = (
  ask: Ask,
  message: ProviderMessage,
  now: number,
) => Promise<string | undefined>;

/** What the node gives to the tasks of channels. */
export interface WebhookServices {
  readonly db: Pick<Database, 'query'>;
  readonly hash: ExternalIdHash;
  readonly log: Log;
  readonly receive: ReceiveFromProvider;
  readonly recentWebhooks: RecentWebhooks;
}

/** What working through webhooks needs beside that. */
export interface WebhookTask extends WebhookServices {
  readonly ask: Ask;
  readonly now: () => number;
}

/** A webhook as it was read. */
export interface WebhookContent {
  readonly requestId: string;
  readonly payload: unknown;
  /** What the channel was connected to when it came: changes of others are not the channel's. */
  readonly identity: ChatappIdentity;
  /** Epoch milliseconds. */
  readonly receivedAt: number;
}
