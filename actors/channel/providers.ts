/**
 * What a channel kind decides about conversations, in terms that are the same for every channel. A provider is pure: it says what a
 * message or a receipt means. What has to leave the system is a row, which is sent after the commit.
 */
import type { ServiceError } from '../../protocol/errors.ts';
import {
  type ChannelKind,
  maxMessageLength,
  type MessageError,
  type ReceiptStatus,
} from '../../protocol/resources/index.ts';
import {
  type ChatappConversation,
  type ChatappPricing,
  findMessageObstacle,
  maxTextLength,
  type MessageContents,
} from '../chatapp/index.ts';

/** What a chat provider says of a message beside its status: kept in the message's metadata, as `chatapp`. */
export interface ReceiptBilling {
  readonly pricing?: ChatappPricing;
  readonly conversation?: ChatappConversation;
  /** When a voice message was played, ISO 8601. */
  readonly playedAt?: string;
}

/** A delivery receipt, independent of the provider. */
export interface Receipt {
  readonly status: ReceiptStatus;
  /** When it happened at the provider, ISO 8601. */
  readonly occurredAt: string;
  readonly error?: MessageError;
  readonly billing?: ReceiptBilling;
}

/**
 * What happens to an outbound message after its commit.
 *
 * `request`: the channel's owner has to send it; the event channel.message.requested is the command to do so.
 * `accept`: it counts as sent at once, and nothing leaves the system.
 * `send`: the channel sends it to the provider (send.ts).
 */
export type Dispatch = 'request' | 'accept' | 'send';

/** Allows free-form messages only for a limited time after the participant wrote. */
export interface ServiceWindowRule {
  /** Milliseconds from an inbound message to the end of the window. */
  readonly lengthMs: number;
  /** Whether free-form messages may go to a participant who has never written. */
  readonly openBeforeFirstInbound: boolean;
}

/** What the actors ask of a channel kind. */
export interface ChannelProvider {
  readonly kind: ChannelKind;
  /** Undefined: free-form messages are always allowed. */
  readonly serviceWindow: ServiceWindowRule | undefined;
  readonly dispatch: Dispatch;
  /** Code points of a text that is sent. */
  readonly maxTextLength: number;
  /** Why the channel does not take a message, whenever it is sent; undefined: it does. */
  readonly findMessageObstacle?: (message: MessageContents) => ServiceError | undefined;
  /** The channel's owner may post inbound messages and receipts over REST. */
  readonly postedByOwner: boolean;
  /** Inbound messages and receipts may be simulated over REST. */
  readonly simulated: boolean;
}

/**
 * The sandbox has no third party; it is for onboarding and tests. Messages loop back: they count as sent when they are committed.
 * Their receipts, and what the participant writes, are simulated over REST.
 *
 * It has the service window of chatapp, so that a flow can be tried before it goes live. The window applies only once the
 * participant has written: a first message would otherwise need a template, which the sandbox does not have.
 */
const sandbox: ChannelProvider = {
  kind: 'sandbox',
  serviceWindow: { lengthMs: 24 * 3_600_000, openBeforeFirstInbound: true },
  dispatch: 'accept',
  maxTextLength: maxMessageLength,
  postedByOwner: true,
  simulated: true,
};

/**
 * On a custom channel the customer sends and receives over HTTP. Outbound messages become channel commands, which the owner lists,
 * performs, acknowledges, and reports on by receipts. The owner decides what may be sent when, so there is no window.
 */
const custom: ChannelProvider = {
  kind: 'custom',
  serviceWindow: undefined,
  dispatch: 'request',
  maxTextLength: maxMessageLength,
  postedByOwner: true,
  simulated: false,
};

/**
 * Messages of a chatapp channel come from the chat provider, by its webhooks (webhooks.ts), and leave for it (send.ts). The provider refuses
 * free-form messages outside its window, and to a participant who has never written.
 */
const chatapp: ChannelProvider = {
  kind: 'chatapp',
  serviceWindow: { lengthMs: 24 * 3_600_000, openBeforeFirstInbound: false },
  dispatch: 'send',
  maxTextLength,
  findMessageObstacle,
  postedByOwner: false,
  simulated: false,
};

const providers: Readonly<Record<ChannelKind, ChannelProvider>> = { sandbox, custom, chatapp };

/** Undefined for a thread without a channel. */
export function getProvider(kind: ChannelKind | null): ChannelProvider | undefined {
  return kind === null ? undefined : providers[kind];
}
