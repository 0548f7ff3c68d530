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
import type { Audited, Conditional, Keyed, Metadata, Tenancy } from '../base/index.ts';
import type { TemplateChange } from '../chatapp/index.ts';
import type { Receipt } from './providers.ts';
import type { ChatappConnection, ConnectAttempt, Work } from './state.ts';

export interface CreateChannel extends Tenancy, Audited, Keyed {
  readonly name: string;
  readonly kind: ChannelKind;
  readonly metadata: Metadata;
  readonly author: Actor;
  /** The most channels of the project. */
  readonly limit: number;
}

/** What PATCH may change; an absent field stays. */
export interface UpdateChannel extends Tenancy, Audited, Conditional {
  readonly changes: {
    readonly name?: string;
    readonly defaultAgentId?: string | null;
    /** Merged into what is there. */
    readonly metadata?: Metadata;
  };
}

/** 409 unless the channel is a chatapp channel that is disconnected or in error. */
/** The attempt's PIN is that of the request, else a new one, for a number that has none by an earlier connection. */
export interface BeginConnect extends Tenancy, Audited {
  readonly attempt: ConnectAttempt;
  readonly author: Actor;
}

/** 409 where another channel has the number, or is being connected to it. */
export interface ReserveNumber extends Tenancy {
  readonly attemptId: string;
  readonly phoneNumberId: string;
}

export interface BegunConnect {
  /** Sealed. */
  readonly pin: string;
  /** Of the connection that the channel still has; null: none. */
  readonly phoneNumberId: string | null;
}

/** 409 where the attempt is over, or the number is that of another channel. */
export interface CompleteConnect extends Tenancy, Keyed {
  readonly attemptId: string;
  readonly connection: Omit<ChatappConnection, 'connectedAt' | 'partnerAppCredentialId' | 'verifyToken'>;
  /** Whether the number was registered with the attempt's PIN. */
  readonly isRegistered: boolean;
  /** The channel's public address for webhooks, for the reply. */
  readonly webhookUrl: string;
  readonly author: Actor;
}

/** An attempt that is over stays as it ended. */
export interface FailConnect extends Tenancy {
  readonly attemptId: string;
  /** Whether the number may be registered with the attempt's PIN. */
  readonly isRegistered: boolean;
  readonly failure: ChatappFailure;
  readonly author: Actor;
}

/** The reminder that ends an attempt which nobody ends. */
export interface ExpireConnect extends Tenancy {
  readonly attemptId: string;
}

/** The provider has refused the connection, or taken it back. A connection with another token stays. */
export interface LoseConnection extends Tenancy {
  /** Sealed, as the connection had it when the provider was asked. */
  readonly accessToken: string;
  readonly failure: Omit<ChatappFailure, 'step'>;
}

/** The provider accepts the token. */
export interface CredentialsSeen extends Tenancy {
  /** Sealed, as the connection had it when the provider was asked. */
  readonly accessToken: string;
  /** ISO 8601; null: never. */
  readonly tokenExpiresAt: string | null;
  /** Sealed: the token that the provider has given for it. Absent: it was not renewed. */
  readonly renewed?: string;
}

/** What the owners of a channel are told: they have to act. */
export interface ChannelNotice {
  /** The id of the event that says the same: a notice that is given again is mailed once. */
  readonly eventId: string;
  readonly projectId: string;
  readonly channelId: string;
  readonly name: string;
  /** `lost`: the provider has taken the connection back for another reason than the token's age. */
  readonly reason: 'expiring' | 'expired' | 'lost';
  /** When the token ends or has ended, ISO 8601; null where that is not known. */
  readonly expiresAt: string | null;
  /** Why, in the provider's words; null where the date says it all. */
  readonly message: string | null;
}

/** The provider reports another status of a template. Repeating it changes nothing. */
export interface AnnounceTemplate extends Tenancy, TemplateChange {}

/** The mail to the owners is queued. */
export interface OwnersTold {
  readonly eventId: string;
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

/** The look of `ParkedReceipt` has ended. */
export interface ParkedSeen {
  /** Key of the reminder that would repeat it. */
  readonly recheck: string;
}

/** Somebody of the business has read the participant's messages up to this one, or answers it now. Lost, nothing is missing. */
export interface MarkRead {
  readonly externalMessageId: string;
  readonly typing: boolean;
}

/** There is work: a hint, which may be lost (gateway/jobs), or a reminder. */
export interface DoWork {
  readonly work: Work;
  /** The provider has just posted it, by a webhook that is signed. */
  readonly isPosted?: boolean;
}

/** What a task is begun for. */
export interface WorkTask {
  readonly work: Work;
  /** Of the channel: projects take turns. */
  readonly projectId: string;
}

/** A webhook that was given up is to be processed again: the command of its dead letter (storage/chatapp/inbox.ts). */
export interface ReopenWebhook {
  readonly requestId: string;
}

/** A task has ended. */
export interface WorkDone {
  readonly work: Work;
  /** It has left something that can be done now. */
  readonly hasMore: boolean;
  /** When there will be something to do, in epoch milliseconds. Absent: not before a hint. */
  readonly nextAt?: number;
}

export type ChannelCommands = {
  /** Replies with the channel's JSON text, as `update` does. */
  create: { readonly payload: CreateChannel; readonly reply: string };
  update: { readonly payload: UpdateChannel; readonly reply: string };
  beginConnect: { readonly payload: BeginConnect; readonly reply: BegunConnect };
  reserveNumber: { readonly payload: ReserveNumber; readonly reply: null };
  /** Replies with how the channel is connected, as `disconnect` does. */
  completeConnect: { readonly payload: CompleteConnect; readonly reply: ChatappStatus };
  failConnect: { readonly payload: FailConnect; readonly reply: null };
  expireConnect: { readonly payload: ExpireConnect; readonly reply: null };
  /** A channel that is not connected stays as it is. */
  loseConnection: { readonly payload: LoseConnection; readonly reply: null };
  /** Asks the provider whether the connection is good: a reminder, or a hint that it may not be. */
  lookAtCredentials: { readonly payload: Readonly<Record<string, never>>; readonly reply: null };
  credentialsSeen: { readonly payload: CredentialsSeen; readonly reply: null };
  tellOwners: { readonly payload: ChannelNotice; readonly reply: null };
  ownersTold: { readonly payload: OwnersTold; readonly reply: null };
  announceTemplate: { readonly payload: AnnounceTemplate; readonly reply: null };
  disconnect: { readonly payload: Disconnect; readonly reply: ChatappStatus };
  settleDisconnect: { readonly payload: Tenancy; readonly reply: null };
  markRead: { readonly payload: MarkRead; readonly reply: null };
  work: { readonly payload: DoWork; readonly reply: null };
  worked: { readonly payload: WorkDone; readonly reply: null };
  reopenWebhook: { readonly payload: ReopenWebhook; readonly reply: null };
  acknowledge: { readonly payload: AcknowledgeCommand; readonly reply: null };
  park: { readonly payload: ParkReceipt; readonly reply: null };
  applyParked: { readonly payload: ParkedReceipt; readonly reply: null };
  parkedSeen: { readonly payload: ParkedSeen; readonly reply: null };
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
  /** Further names by which the provider calls the participant, as it has told with its answer. */
  readonly aliases?: readonly string[];
  readonly author: Actor;
}

/** What became of a file that the provider had. */
export type FetchedFile =
  | {
      readonly status: 'ready';
      /** By its bytes, where they are not what the participant's provider has told. */
      readonly mimeType: string;
      readonly sizeBytes: number;
      /** Key of the stored copy. */
      readonly storageKey: string;
    }
  | { readonly status: 'failed'; readonly reason: string };

/** Asked of the thread of the message whose attachment it is. Repeating it changes nothing. */
export interface SettleAttachment extends Tenancy {
  readonly reading: MessageReading;
  readonly attachmentId: string;
  readonly file: FetchedFile;
}

export interface ReceiptOutcome {
  /** `stale`: the reading is too old; read the message again and ask again. */
  readonly outcome: 'recorded' | 'stale';
  readonly status: MessageStatus | null;
}
