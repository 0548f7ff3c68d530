/**
 * What a thread is asked. Payloads and replies are JSON. Every command says whose thread it means: the thread of another tenant
 * answers as if it did not exist, so no look-up has to come first.
 */
import type { ChannelKind, ReceiptStatus } from '../../protocol/resources/channel.ts';
import type { Actor, Message, MessageDryRun, MessageStatus } from '../../protocol/resources/message.ts';
import type { ThreadNote } from '../../protocol/resources/note.ts';
import type { AgentMode, ThreadStatus } from '../../protocol/resources/thread.ts';
import type { Receipt } from '../channel/providers/provider.ts';
import type { Marked } from '../act.ts';
import type { Metadata, Tenancy } from '../tenancy.ts';
import type { ThreadAgentCommands } from './agent-commands.ts';
import type { CustomFields } from './state.ts';

/** The key of the request, written with the commit that answers it. */
export interface IdempotencyKey {
  /** Base64 of 32 bytes each: see storage/writes/idempotency.ts. */
  readonly keyHash: string;
  readonly fingerprint: string;
}

/** What a thread has to know of its channel: it comes with the command, never by asking the channel's actor. */
export interface ChannelOfThread {
  readonly channelId: string;
  readonly kind: ChannelKind;
  /** Answers on threads that name no agent; null or absent: nobody does. */
  readonly defaultAgentId?: string | null;
}

/** A message that is to be made, under an id that its asker has chosen. */
export interface NewMessage {
  readonly messageId: string;
  readonly body: string;
  readonly attachments: readonly unknown[];
  readonly metadata: Metadata;
  /** Ids of uploaded files among the attachments, each once: the message takes them. */
  readonly files?: readonly string[];
}

/** 409 with `details.threadId` when the thread of that identity exists. */
export interface CreateThread extends Tenancy {
  readonly channel: ChannelOfThread | null;
  readonly externalRef: string | null;
  readonly metadata: Metadata;
  readonly author: Actor;
  readonly key?: IdempotencyKey;
}

export interface ReceiveMessage extends Tenancy {
  /** The channel it came in by; absent when it was written into the thread itself. */
  readonly channel?: ChannelOfThread;
  /** Makes the thread if it is not there yet; absent: the thread must exist. */
  readonly newborn?: { readonly externalRef: string; readonly metadata: Metadata };
  readonly message: NewMessage;
  readonly key?: IdempotencyKey;
}

/**
 * An outbound message. 409 for an archived thread or a channel that is not connected, `svc/chatapp/template_required`
 * outside the service window.
 */
export interface SendMessage extends Tenancy {
  readonly message: NewMessage;
  readonly author: Actor;
  readonly key?: IdempotencyKey;
}

/** What PATCH may change; an absent field stays. */
export interface ThreadChanges {
  readonly status?: ThreadStatus;
  readonly agentMode?: AgentMode | null;
  readonly agentId?: string | null;
  readonly tags?: readonly string[];
  readonly customFields?: CustomFields;
}

export interface UpdateThread extends Tenancy {
  readonly changes: ThreadChanges;
  readonly author: Actor;
}

/** Erases what is known of the participant, here and in everything up to now. */
export interface EraseThread extends Tenancy, Marked {
  readonly author: Actor;
}

/** Null releases the thread. */
export interface AssignThread extends Tenancy {
  readonly userId: string | null;
  /** Only where that user is the assignee; anybody else stays. */
  readonly from?: string;
  readonly author: Actor;
}

/** A note, under an id that its asker has chosen. */
export interface AddNote extends Tenancy {
  readonly threadNoteId: string;
  readonly authorUserId: string;
  readonly body: string;
  readonly author: Actor;
}

/** `note`: as it was read, of this very thread. */
export interface EditNote extends Tenancy {
  readonly note: ThreadNote;
  readonly body: string;
  readonly author: Actor;
}

export interface RemoveNote extends Tenancy {
  readonly note: ThreadNote;
  readonly author: Actor;
}

/** A message as it was read, for whoever reports on it: see recent-changes.ts. */
export interface MessageReading {
  readonly message: Message;
  /** The thread's sequence at that moment, read in the same statement. */
  readonly asOf: number;
}

export interface RecordReceipts extends Tenancy {
  readonly reading: MessageReading;
  /** The provider's id for the message, when the report names it. */
  readonly externalMessageId?: string;
  /** In any order; what does not move the message forward is dropped. */
  readonly receipts: readonly Receipt[];
  /** Those of the receipts that were parked under `externalMessageId`: the commit removes them, and no others. */
  readonly unpark: readonly ReceiptStatus[];
  readonly author: Actor;
}

export interface ReceiptOutcome {
  /** `stale`: the reading is too old: read again and ask again. */
  readonly outcome: 'recorded' | 'stale';
  readonly status: MessageStatus | null;
}

/**
 * Ends the service window before its time. 404 where the thread is not of that channel, 409 where the channel is no
 * sandbox.
 */
export interface ExpireWindow extends Tenancy {
  /** The channel that the simulation is asked of. */
  readonly channelId: string;
  readonly author: Actor;
}

export type ThreadCommands = ThreadAgentCommands & {
  /** Replies with the thread's JSON text. */
  create: { readonly payload: CreateThread; readonly reply: string };
  /** Replies with the message's JSON text, as `send` does. */
  receive: { readonly payload: ReceiveMessage; readonly reply: string };
  send: { readonly payload: SendMessage; readonly reply: string };
  checkSend: { readonly payload: Tenancy; readonly reply: MessageDryRun };
  /** Replies with the thread's JSON text. */
  update: { readonly payload: UpdateThread; readonly reply: string };
  /** Replies with the thread's JSON text. */
  assign: { readonly payload: AssignThread; readonly reply: string };
  /** Replies with when it was asked for, ISO 8601. */
  erase: { readonly payload: EraseThread; readonly reply: string };
  addNote: { readonly payload: AddNote; readonly reply: ThreadNote };
  editNote: { readonly payload: EditNote; readonly reply: ThreadNote };
  removeNote: { readonly payload: RemoveNote; readonly reply: null };
  recordReceipts: { readonly payload: RecordReceipts; readonly reply: ReceiptOutcome };
  /** The reminder that watches the service window. */
  lookAtWindow: { readonly payload: Readonly<Record<string, never>>; readonly reply: null };
  /** Ends the service window now (sandbox simulation). */
  expireWindow: { readonly payload: ExpireWindow; readonly reply: null };
};
