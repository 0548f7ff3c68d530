/**
 * What a channel kind has to say about conversations, in neutral words. A provider is pure: it decides what a message or a
 * receipt means; whatever has to leave the system is a row that someone else carries out (design, section 2 rule 4).
 */

import type { ChannelKind, ReceiptStatus } from '../../../protocol/resources/channel.ts';

/** Why a message failed, as its provider says it. */
export interface ReceiptError {
  readonly code?: string;
  readonly message?: string;
}

/** A receipt in the neutral model. */
export interface Receipt {
  readonly status: ReceiptStatus;
  /** When it happened at the provider, ISO 8601. */
  readonly occurredAt: string;
  readonly error?: ReceiptError;
}

/**
 * What committing an outbound message sets in motion.
 *
 * `request`: the channel's owner has to send it; the event channel.message.requested is that command.
 * `accept`: it counts as sent at once, nothing leaves.
 */
export type Dispatch = 'request' | 'accept';

/** The rule that allows free-form sending only for a time after the participant wrote (specification, "Limits"). */
export interface ServiceWindowRule {
  /** Milliseconds from an inbound message to the window's end. */
  readonly lengthMs: number;
  /** Whether a participant who never wrote may be sent free-form messages. */
  readonly openBeforeFirstInbound: boolean;
}

/** What the actors ask of a channel kind; registry.ts has one for each kind that is served. */
export interface ChannelProvider {
  readonly kind: ChannelKind;
  /** Undefined: free-form sending is always allowed. */
  readonly serviceWindow: ServiceWindowRule | undefined;
  readonly dispatch: Dispatch;
  /** Inbound messages and receipts may be posted over REST by the channel's owner. */
  readonly postedByOwner: boolean;
  /** Events may be simulated (decisions, section 2: sandbox simulation). */
  readonly simulated: boolean;
}
