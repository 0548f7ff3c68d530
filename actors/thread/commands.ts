/**
 * The commands of a thread. Payloads and replies are JSON. Every command names the tenant that it is meant for: the thread of another
 * tenant answers as if it did not exist, so that no look-up has to come first.
 *
 * The names of commands and of their fields go from node to node, also between two releases during an upgrade: they do not change.
 */
import type {
  Actor,
  AgentMode,
  AttachmentKind,
  ChannelKind,
  Message,
  MessageDryRun,
  ThreadNote,
  ThreadStatus,
} from '../../protocol/resources/index.ts';
import type { AgentHead } from '../../storage/agents/index.ts';
import type { Audited, Keyed, Metadata, Tenancy } from '../base/index.ts';
import type { ReceiptOutcome, RecordReceipts, SettleAttachment } from '../channel/index.ts';
import type { BeginRun, RunOver, Suggestion, TakeAnswer } from '../run/index.ts';
import type { CustomFields, ParticipantDetails } from './state.ts';

/** What a thread has to know of its channel. Commands bring it along: the channel's actor is never asked. */
export interface ThreadChannel {
  readonly channelId: string;
  readonly kind: ChannelKind;
  /** The agent that answers on threads which name none. */
  readonly defaultAgentId?: string | null;
}

/** Members of a message beside its text. */
export type MessageDetails = Pick<Message, 'content' | 'replyTo' | 'forwarded' | 'referral'>;

/** A file that a provider has, and that has to be fetched: one of the message's attachments. */
export interface AwaitedFile {
  readonly attachmentId: string;
  readonly kind: AttachmentKind;
  readonly providerMediaId: string;
  readonly mimeType: string;
  readonly filename: string | null;
  /** Of its bytes, as the provider tells it. */
  readonly sha256: string | null;
}

/** A message to be written, under an id that the caller has chosen. */
export interface NewMessage {
  readonly messageId: string;
  readonly body: string;
  readonly attachments: readonly unknown[];
  readonly metadata: Metadata;
  /** The ids of uploaded files among the attachments, each once. The message takes them. */
  readonly files?: readonly string[];
  /** Absent: there are none. */
  readonly awaitedFiles?: readonly AwaitedFile[];
  /** What most messages have none of; absent where it has none either, and never empty. */
  readonly details?: MessageDetails;
  /** The provider's id of it, where a provider has brought it. No other message of the channel may have it. */
  readonly externalMessageId?: string;
}

/** 409 with `details.threadId` when a thread of that identity exists. */
export interface CreateThread extends Tenancy, Keyed {
  readonly channel: ThreadChannel | null;
  readonly externalRef: string | null;
  /** Absent: there is none. */
  readonly subject?: string;
  readonly metadata: Metadata;
  readonly author: Actor;
}

/** The name on the wire of the field that creates a missing thread. It is older than the names that the code uses. */
export const createIfMissingField = 'newborn';

/** What becomes known of a participant; what is absent stays. */
export type ParticipantChanges = Partial<ParticipantDetails>;

export interface ReceiveMessage extends Tenancy, Keyed {
  /** The channel by which the message came; absent when it was written into the thread itself, whose channel has to allow that. */
  readonly channel?: ThreadChannel;
  /** Creates the thread if it is missing; absent: the thread must exist. */
  readonly [createIfMissingField]?: { readonly externalRef: string; readonly metadata: Metadata };
  readonly message: NewMessage;
  /** Who posted it over the API, in the contact's name. */
  readonly reportedBy?: Actor;
  /** From when on it opens the service window, in epoch milliseconds; default: now. Null: it opens none. */
  readonly windowFrom?: number | null;
  /** The participant sent it at this instant at the latest, in epoch milliseconds; absent: now. */
  readonly sentBy?: number;
  readonly participant?: ParticipantChanges;
  /** Automatic answers in a row that led to the message. Default: 0. */
  readonly hops?: number;
  /** Other names by which the provider calls the participant: they lead to this thread from now on. */
  readonly aliases?: readonly string[];
}

/**
 * An outbound message. 409 for an archived thread; `svc/chatapp/template_required` outside the service window; 422 for what the channel does
 * not take.
 */
export interface SendMessage extends Tenancy, Keyed {
  readonly message: NewMessage;
  /** A template of the chat provider, which needs no service window. */
  readonly template?: true;
  readonly author: Actor;
}

/** Without a message: whether the thread takes any. */
export type CheckSend = Tenancy & Partial<Pick<SendMessage, 'message' | 'template'>>;

/** What PATCH may change; an absent field stays. */
export interface ThreadChanges {
  readonly status?: ThreadStatus;
  /** Opens an archived thread. */
  readonly archived?: false;
  readonly agentMode?: AgentMode | null;
  readonly agentId?: string | null;
  readonly tags?: readonly string[];
  /** Merged into what is there, both. */
  readonly customFields?: CustomFields;
  readonly metadata?: Metadata;
  readonly participant?: ParticipantChanges;
  readonly subject?: string | null;
  /** ISO 8601; null wakes the thread. */
  readonly snoozedUntil?: string | null;
}

/** What the caller has seen of the thread. */
export interface Seen {
  /** The thread's sequence. 409 where the participant has written since: what they wrote would be put away unseen. Absent: all the same. */
  readonly expectedSequence?: number;
}

export interface UpdateThread extends Tenancy, Keyed, Seen, Audited {
  readonly changes: ThreadChanges;
  readonly author: Actor;
}

/** Adds and removes tags. 422 for more than a thread may have. */
export interface RetagThread extends Tenancy, Keyed, Seen {
  readonly add: readonly string[];
  readonly remove: readonly string[];
  readonly author: Actor;
}

/** Erases the participant's personal data in the thread and in everything that belongs to it up to now. */
export interface EraseThread extends Tenancy, Audited {
  readonly author: Actor;
}

/** `userId` null: nobody is assigned any more. */
export interface AssignThread extends Tenancy, Keyed, Audited {
  readonly userId: string | null;
  /** Only if this user is the assignee. */
  readonly from?: string;
  readonly author: Actor;
}

/** A note to be written, under an id that the caller has chosen. */
export interface AddNote extends Tenancy, Keyed {
  readonly threadNoteId: string;
  readonly authorUserId: string;
  readonly body: string;
  /** User ids. Undefined where a node of an older version asks: none. */
  readonly mentions?: readonly string[];
  readonly author: Actor;
}

/** `note`: a note of this thread, as it was read. */
export interface EditNote extends Tenancy {
  readonly note: ThreadNote;
  readonly body: string;
  /** Undefined: they stay. */
  readonly mentions?: readonly string[] | undefined;
  readonly author: Actor;
}

export interface RemoveNote extends Tenancy {
  readonly note: ThreadNote;
  readonly author: Actor;
}

/**
 * Ends the service window before its time. 404 where the thread is not of that channel, 409 where the channel is not a sandbox.
 */
export interface ExpireWindow extends Tenancy, Keyed {
  /** The channel that was asked to simulate it. */
  readonly channelId: string;
  readonly author: Actor;
}

/** Gives the thread to an operator who has room, by the round robin of its project. */
export interface AssignAutomatically extends Tenancy {
  readonly userId: string;
}

export type ThreadCommands = ThreadAgentCommands & {
  /** Replies with the thread's JSON text. */
  create: { readonly payload: CreateThread; readonly reply: string };
  /** Replies with the message's JSON text, as `send` does. */
  receive: { readonly payload: ReceiveMessage; readonly reply: string };
  send: { readonly payload: SendMessage; readonly reply: string };
  /** What `send` would say to the message. */
  checkSend: { readonly payload: CheckSend; readonly reply: MessageDryRun };
  /** Replies with the thread's JSON text. */
  update: { readonly payload: UpdateThread; readonly reply: string };
  /** Replies with the thread's JSON text. */
  retag: { readonly payload: RetagThread; readonly reply: string };
  /** Replies with the thread's JSON text. */
  assign: { readonly payload: AssignThread; readonly reply: string };
  /** Replies whether the thread has taken the operator: one that does not wait for anybody any more has not. */
  assignAutomatically: { readonly payload: AssignAutomatically; readonly reply: boolean };
  /** Replies with the instant of the request, ISO 8601. */
  erase: { readonly payload: EraseThread; readonly reply: string };
  addNote: { readonly payload: AddNote; readonly reply: ThreadNote };
  editNote: { readonly payload: EditNote; readonly reply: ThreadNote };
  removeNote: { readonly payload: RemoveNote; readonly reply: null };
  recordReceipts: { readonly payload: RecordReceipts; readonly reply: ReceiptOutcome };
  /** `stale`: the reading is too old; read the message again and ask again. */
  settleAttachment: { readonly payload: SettleAttachment; readonly reply: 'settled' | 'stale' };
  /** The reminder that watches the service window. */
  lookAtWindow: { readonly payload: Readonly<Record<string, never>>; readonly reply: null };
  /** The reminder that watches the free entry. */
  lookAtFreeEntry: { readonly payload: Readonly<Record<string, never>>; readonly reply: null };
  /** The reminder that wakes a snoozed thread. */
  wake: { readonly payload: Readonly<Record<string, never>>; readonly reply: null };
  /** Ends the service window now, on a sandbox. */
  expireWindow: { readonly payload: ExpireWindow; readonly reply: null };
};

/**
 * Opens a run. Its mode is the thread's, or else the agent's. Where that is `paused`, a message opens no run (the reply is null), and a
 * request opens one in suggest mode. At most one run of a thread is live: meanwhile a request is refused (409 with
 * `details.agentRunId`), and messages wait.
 */
export interface OpenRun extends Tenancy, Keyed, Audited {
  readonly trigger: 'message' | 'request';
  readonly head: AgentHead;
  /** The default agent of the thread's channel, as it was read for a message. */
  readonly channelAgentId?: string | null;
  /** Absent: the newest inbound message that the thread knows of. */
  readonly inputMessageId?: string;
  /** The live run, which the caller has found to be pending: it is cancelled in favour of the new one. */
  readonly supersedes?: string;
  readonly metadata: Metadata;
  readonly author: Actor;
}

/**
 * An operator's decision about a suggestion. 409 `svc/agent_runs/suggestion_already_resolved` where no suggestion of that run is
 * pending; 409 `svc/runtime/conflict` where anything but the suggestion itself has happened on the thread since `expectedSequence`; 409
 * `svc/chatapp/template_required` with the window closed, which leaves the suggestion pending.
 */
export interface ResolveSuggestion extends Tenancy, Keyed, Audited {
  readonly agentRunId: string;
  readonly action: 'approve' | 'discard';
  /** The text that the model wrote. */
  readonly body: string;
  /** The text that the operator wants to send instead. */
  readonly editedBody?: string;
  /** Why it is discarded. */
  readonly reason?: string;
  readonly expectedSequence?: number;
  readonly author: Actor;
}

/** The suggestion of that run is a day old. */
export interface ExpireSuggestion {
  readonly agentRunId: string;
}

/** A run that the thread has opened. The thread tells it `begin` durably; a caller who waits for the run may tell it too. */
export interface OpenedRun {
  readonly agentRunId: string;
  readonly begin: BeginRun;
}

/** What a repetition of the request learns of it. */
export type KeptRun = BeginRun & { readonly agentRunId: string; readonly createdAt: string };

/**
 * Commands about the thread's agent. The thread decides whether a run is opened and what becomes of its answer; a run never sends
 * anything by itself.
 */
export type ThreadAgentCommands = {
  /** The reminder: messages have waited long enough. Its task finds the agent and asks `openRun`. */
  readonly callAgent: { readonly payload: Readonly<Record<string, never>>; readonly reply: null };
  /** Replies null when no run is wanted any more, or not yet. */
  readonly openRun: { readonly payload: OpenRun; readonly reply: OpenedRun | null };
  /** No agent can answer: messages wait for none any more. */
  readonly dropCall: { readonly payload: Tenancy; readonly reply: null };
  /** Decides what becomes of a run's answer, and tells the run durably. 409 where its agent has changed since its rows were read. */
  readonly takeAnswer: { readonly payload: TakeAnswer; readonly reply: null };
  readonly runOver: { readonly payload: RunOver; readonly reply: null };
  /** Tells the run the same durably, by `settleSuggestion`. */
  readonly resolveSuggestion: { readonly payload: ResolveSuggestion; readonly reply: Suggestion };
  /** The reminder: nobody has resolved the suggestion. Tells the run as well. */
  readonly expireSuggestion: { readonly payload: ExpireSuggestion; readonly reply: null };
  /** An operator is typing, which holds automatic answers back for a while. Forgotten when the actor leaves memory. */
  readonly noteTyping: { readonly payload: Tenancy; readonly reply: null };
};
