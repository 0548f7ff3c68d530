/** The commands of a channel, and what a channel tells a thread. Every command names the tenant that it is meant for. */
import type {
  Actor,
  ChannelKind,
  ChatappFailure,
  ChatappStatus,
  Message,
  MessageStatus,
  ReceiptStatus,
} from '../../protocol/resources/index.ts';
import type { Audited, Keyed, Metadata, Tenancy } from '../base/index.ts';
import type { Receipt } from './providers.ts';
import type { ChatappConnection, ConnectAttempt } from './state.ts';

export interface CreateChannel extends Tenancy, Audited, Keyed {
  readonly name: string;
  readonly kind: ChannelKind;
  readonly metadata: Metadata;
  readonly author: Actor;
  /** The most channels of the project. */
  readonly limit: number;
}

/** What PATCH may change; an absent field stays. */
export interface UpdateChannel extends Tenancy, Audited {
  readonly changes: {
    readonly name?: string;
    readonly defaultAgentId?: string | null;
    readonly metadata?: Metadata;
  };
}

/** 409 unless the channel is a chatapp channel that is disconnected or in error. */
export interface BeginConnect extends Tenancy, Audited {
  readonly attempt: ConnectAttempt;
  readonly author: Actor;
}

/** 409 where the attempt is over, or the number is that of another channel. */
export interface CompleteConnect extends Tenancy, Keyed {
  readonly attemptId: string;
  readonly connection: Omit<ChatappConnection, 'connectedAt' | 'partnerAppCredentialId' | 'verifyToken'>;
  /** Sealed. */
  readonly pin: string;
  /** The channel's public address for webhooks, for the reply. */
  readonly webhookUrl: string;
  readonly author: Actor;
}

/** An attempt that is over stays as it ended. */
export interface FailConnect extends Tenancy {
  readonly attemptId: string;
  readonly failure: ChatappFailure;
  readonly author: Actor;
}

/** The reminder that ends an attempt which nobody ends. */
export interface ExpireConnect extends Tenancy {
  readonly attemptId: string;
}

/** Repeating it changes nothing. */
export interface Disconnect extends Tenancy, Audited, Keyed {
  readonly webhookUrl: string;
  readonly author: Actor;
}

/** The caller has found the command in the channel's list. */
export interface AcknowledgeCommand extends Tenancy, Keyed {
  readonly eventId: string;
}

export interface ParkReceipt extends Tenancy, Keyed {
  readonly externalMessageId: string;
  readonly receipt: Receipt;
}

/** The reminder that looks once more whether the message of a parked receipt has arrived. */
export interface ParkedReceipt extends Tenancy {
  readonly externalMessageId: string;
}

export type ChannelCommands = {
  /** Replies with the channel's JSON text, as `update` does. */
  create: { readonly payload: CreateChannel; readonly reply: string };
  update: { readonly payload: UpdateChannel; readonly reply: string };
  /** Replies with the sealed PIN of the number, where the channel has had one. */
  beginConnect: { readonly payload: BeginConnect; readonly reply: string | null };
  /** Replies with how the channel is connected, as `disconnect` does. */
  completeConnect: { readonly payload: CompleteConnect; readonly reply: ChatappStatus };
  failConnect: { readonly payload: FailConnect; readonly reply: null };
  expireConnect: { readonly payload: ExpireConnect; readonly reply: null };
  disconnect: { readonly payload: Disconnect; readonly reply: ChatappStatus };
  settleDisconnect: { readonly payload: Tenancy; readonly reply: null };
  /** Webhooks of the provider wait: a hint, which may be lost (gateway/jobs). */
  workWebhooks: { readonly payload: Readonly<Record<string, never>>; readonly reply: null };
  /** The task that works through them has ended. */
  webhooksWorked: { readonly payload: { readonly hasMore: boolean }; readonly reply: null };
  acknowledge: { readonly payload: AcknowledgeCommand; readonly reply: null };
  park: { readonly payload: ParkReceipt; readonly reply: null };
  applyParked: { readonly payload: ParkedReceipt; readonly reply: null };
};

/** A message as it was read, for a report on it: see thread/recent-changes.ts. */
export interface MessageReading {
  readonly message: Message;
  /** The thread's sequence when the message was read, from the same statement. */
  readonly asOf: number;
  /** Another message of the channel had the provider's id that the report names. */
  readonly isExternalIdTaken?: boolean;
}

/** Asked of the message's thread. */
export interface RecordReceipts extends Tenancy, Keyed {
  readonly reading: MessageReading;
  /** The provider's id of the message, if the report names it. */
  readonly externalMessageId?: string;
  /** In any order. Those that do not move the message forward are dropped. */
  readonly receipts: readonly Receipt[];
  /** Which of the receipts were parked under `externalMessageId`. The commit removes these from the parked ones, and no others. */
  readonly unpark: readonly ReceiptStatus[];
  readonly author: Actor;
}

export interface ReceiptOutcome {
  /** `stale`: the reading is too old; read the message again and ask again. */
  readonly outcome: 'recorded' | 'stale';
  readonly status: MessageStatus | null;
}
