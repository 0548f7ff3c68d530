// Made by generate.ts from the contract. Do not edit.

export interface Actor {
  type: 'contact' | 'user' | 'agent' | 'api_key' | 'system';
  id: string | null;
  apiKeyId?: string;
}

export interface Participant {
  /** Your name for the participant. */
  externalParticipantRef: string | null;
  /** The name that the participant goes by. */
  displayName: string | null;
  /** A language, and a region if there is one (BCP 47): `pt-BR`. */
  locale: string | null;
  /** What the provider or the owner of the channel knows of the participant. */
  attributes: Record<string, unknown>;
}

export interface ServiceWindow {
  open: boolean;
  /** When it closes; null: it is closed. */
  expiresAt: string | null;
}

export interface FreeEntry {
  /** The current status. */
  status: 'pending' | 'open' | 'closed';
  /** Until when a message of yours has to be delivered for it to open. */
  pendingUntil?: string | null;
  /** When it opened. */
  openedAt?: string | null;
  /** When it expires. */
  expiresAt?: string | null;
}

export interface ThreadPreview {
  messageId: string;
  /** inbound: from the participant. outbound: to the participant. */
  direction: 'inbound' | 'outbound';
  actorType: 'contact' | 'user' | 'agent' | 'api_key' | 'system';
  /** The beginning of the text, in one line; a longer one ends in `…`. Empty: the message has no text. */
  text: string;
  /** The `type` of its `content`; null: it has none. */
  contentType: string | null;
  /** How many files came with it. */
  attachmentCount: number;
  /** When the message was stored. */
  at: string;
}

export interface ThreadMatch {
  /** What the words were found in. */
  field: 'participant' | 'subject' | 'message';
  /** The message that they were found in. */
  messageId?: string | null;
  /** The text around them. */
  snippet: string;
  /** The words in `snippet`: start and end of each, in UTF-16 code units. */
  highlights: number[][];
  /** When the message was stored, or the thread was created. */
  at: string;
}

export interface Thread {
  threadId: string;
  /** The project. */
  projectId: string;
  /** The environment. */
  environmentId: string;
  channelId?: string | null;
  /** The current status. */
  status: 'open' | 'closed' | 'archived';
  /** auto: agents answer by themselves. suggest: people approve first. paused: agents do not answer. null: the mode of the agent. */
  agentMode?: 'auto' | 'suggest' | 'paused' | null;
  /** Your own labels, to find threads by. */
  tags?: string[];
  /** Your own fields, with scalar values. */
  customFields?: Record<string, string | number | boolean | null>;
  /** Your own JSON object, stored as it is. */
  metadata?: Record<string, unknown>;
  lastMessageAt: string;
  /** When it was created. */
  createdAt: string;
  /** When it last changed. */
  updatedAt: string;
  /** When it was archived; null: not archived. */
  archivedAt?: string | null;
  /** Your name for the participant. A channel has one thread for each. */
  externalRef?: string | null;
  agentId?: string | null;
  /** The operator that the thread is assigned to; null: nobody. */
  assigneeUserId?: string | null;
  /** Number of the thread's last event. */
  sequence?: number;
  /** Who writes on the other side; null: nobody. */
  participant?: Participant | null;
  subject?: string | null;
  /** Whether free-form messages may be sent now, and until when. */
  serviceWindow?: ServiceWindow | null;
  /** The time without charges by the provider after a referral; null: there was none. */
  freeEntry?: FreeEntry | null;
  /** How far the requesting user has read. Only in reads with a Studio token. */
  readSequence?: number;
  /** Messages of the participant that the requesting user has not read; 100: so many or more. Only in reads with a Studio token. */
  unreadCount?: number;
  /** The last message, in short; null: there is none. Not in events. */
  preview?: ThreadPreview | null;
  /** Since when the participant waits for an answer; null: for none. */
  waitingSince?: string | null;
  /** The run whose suggestion waits for an operator; null: none does. */
  pendingSuggestion?: string | null;
  /** Messages that could not be sent, since the last one that was. */
  failedSends?: number;
  /** Until when it is put away; null: it is not. A message of the participant wakes it sooner. */
  snoozedUntil?: string | null;
  /** When the participant's personal data was last erased; null: never. What came since is there, and the participant may have a name again. */
  erasedAt?: string | null;
  /** Where the words of a search were found. Only in the results of one. */
  match?: ThreadMatch;
}

/** A thread was created. */
export interface ThreadLifecycleCreatedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'thread.lifecycle.created';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    thread: Thread;
  };
}

/** Fields of a thread changed that have no event of their own. */
export interface ThreadLifecycleUpdatedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'thread.lifecycle.updated';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    thread: Thread;
  };
}

/** A thread's personal data was erased, in its earlier events too. */
export interface ThreadLifecycleErasedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'thread.lifecycle.erased';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    thread: Thread;
  };
}

/** A thread was opened, closed or archived. */
export interface ThreadStatusChangedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'thread.status.changed';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    thread: Thread;
    previousStatus?: 'open' | 'closed' | 'archived';
  };
}

/** A thread's agent mode changed. */
export interface ThreadAgentModeChangedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'thread.agent_mode.changed';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    thread: Thread;
    previousAgentMode?: 'auto' | 'suggest' | 'paused' | null;
  };
}

/** A thread's tags changed. */
export interface ThreadTagsChangedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'thread.tags.changed';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    thread: Thread;
    previousTags?: string[];
  };
}

/** A thread was assigned or released. */
export interface ThreadAssignmentChangedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'thread.assignment.changed';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    thread: Thread;
    previousAssigneeUserId?: string | null;
    reason?: 'request' | 'automatic' | 'access_lost';
  };
}

/** A thread was snoozed or woken. */
export interface ThreadSnoozeChangedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'thread.snooze.changed';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    thread: Thread;
    previousSnoozedUntil?: string | null;
    reason: 'request' | 'due' | 'message' | 'status';
  };
}

export interface ThreadNote {
  threadNoteId: string;
  /** The project. */
  projectId: string;
  threadId: string;
  authorUserId: string;
  body: string;
  mentions?: string[];
  /** When it was created. */
  createdAt: string;
  /** When it last changed. */
  updatedAt: string;
}

/** A note was written on a thread. */
export interface ThreadNoteCreatedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'thread.note.created';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    note: ThreadNote;
  };
}

/** A note was changed. */
export interface ThreadNoteUpdatedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'thread.note.updated';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    note: ThreadNote;
  };
}

/** A note was deleted. */
export interface ThreadNoteDeletedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'thread.note.deleted';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    note: ThreadNote;
  };
}

export interface MessageAttachment {
  kind: 'image' | 'audio' | 'video' | 'document' | 'sticker';
  attachmentId?: string;
  mimeType?: string;
  filename?: string;
  sizeBytes?: number;
  storageKey?: string;
  url?: string;
  providerMediaId?: string;
  /** Your own JSON object, stored as it is. */
  metadata?: Record<string, unknown>;
  /** Of a file that the chat provider has: whether it is kept here by now. Absent: it came with the message. */
  status?: 'pending' | 'ready' | 'failed';
  /** Why it failed. */
  reason?: string;
}

export interface TextContent {
  type: 'text';
  /** Whether the first address in the text is shown with a preview. */
  preview?: boolean;
}

export interface MediaContent {
  type: 'media';
  kind: 'image' | 'audio' | 'video' | 'document' | 'sticker';
  /** The text below the file. */
  caption: string | null;
  /** Recorded by the participant, and not a file. */
  voice?: boolean;
}

export interface LocationContent {
  type: 'location';
  latitude: number;
  longitude: number;
  /** What the place is called. */
  name?: string | null;
  /** Where it is, in words. */
  address?: string | null;
  url?: string | null;
}

export interface ContactsContent {
  type: 'contacts';
  contacts: {
    /** The contact's name. */
    name: string;
    phones: {
      phone: string;
      type?: string | null;
    }[];
    emails?: {
      email: string;
      type?: string | null;
    }[];
    organization?: string | null;
  }[];
}

export interface MessageReference {
  messageId: string | null;
  /** The channel provider's id of the message. */
  externalMessageId: string | null;
  product?: {
    catalogId: string | null;
    productId: string;
  };
}

export interface ReactionContent {
  type: 'reaction';
  /** The reaction; null: it was taken back. */
  emoji: string | null;
  /** The message that it is a reaction to. */
  to: MessageReference;
}

export interface InteractiveContent {
  type: 'interactive';
  kind: 'button' | 'list' | 'form' | 'other';
  /** What the business has given to the choice; null: a form. */
  id: string | null;
  title: string | null;
  description?: string | null;
  /** What was filled in. */
  data?: Record<string, unknown>;
}

export interface OrderContent {
  type: 'order';
  catalogId: string | null;
  text: string | null;
  items: {
    productId: string;
    quantity: number;
    price: number | null;
    currency: string | null;
  }[];
}

export interface SystemContent {
  type: 'system';
  event: 'number_changed' | 'user_id_changed' | 'identity_changed' | 'message_edited' | 'message_deleted' | 'other';
  /** The message that was edited or deleted. */
  about?: MessageReference | null;
  /** The new text of a message that was edited. */
  text?: string | null;
}

export interface TemplateContent {
  type: 'template';
  /** Its name at the chat provider. */
  name: string;
  /** The provider's code of the template's language. */
  language: string;
  /** What fills the parameters, as the chat provider defines it. */
  components: (Record<string, unknown>)[];
}

export interface UnsupportedContent {
  type: 'unsupported';
  /** The provider's word for it. */
  providerType: string | null;
}

export type MessageContent = 
  | TextContent
  | MediaContent
  | LocationContent
  | ContactsContent
  | ReactionContent
  | InteractiveContent
  | OrderContent
  | SystemContent
  | TemplateContent
  | UnsupportedContent;

export interface Referral {
  sourceType: string | null;
  sourceId: string | null;
  sourceUrl: string | null;
  headline: string | null;
  body: string | null;
  /** The provider's id of the click. */
  clickId: string | null;
}

export interface MessageError {
  /** The code of the provider or of the channel, if it gave one. */
  code?: string | null;
  /** What happened, in words. */
  message?: string | null;
  /** `outcome` is `unknown` where the provider gave no answer: the message may have been delivered. */
  details?: {
    outcome?: 'unknown';
  };
}

export interface Message {
  messageId: string;
  threadId: string;
  /** The project. */
  projectId: string;
  /** inbound: from the participant. outbound: to the participant. */
  direction: 'inbound' | 'outbound';
  body: string;
  /** The channel provider's id of the message. */
  externalMessageId?: string | null;
  /** Of an outbound message; null: it does not leave over a channel. */
  status?: 'queued' | 'sent' | 'delivered' | 'read' | 'failed' | null;
  /** Its files. */
  attachments: MessageAttachment[];
  /** Your own JSON object, stored as it is. */
  metadata: Record<string, unknown>;
  /** When it was created. */
  createdAt: string;
  /** Its place in the thread: the number of the event that created it. */
  sequence?: number;
  /** The environment. */
  environmentId?: string;
  channelId?: string | null;
  actor?: Actor;
  /** What the message holds beside its text. Absent: a plain text. */
  content?: MessageContent;
  /** The message that this one answers. */
  replyTo?: MessageReference;
  /** The participant has passed it on: once, or a message that was passed on often. */
  forwarded?: 'once' | 'often';
  /** The advertisement or post by which the participant came. */
  referral?: Referral;
  /** Why it failed; absent: it did not. */
  error?: MessageError;
}

/** An inbound message was received on a thread. Its actor is the contact; `reportedBy` is who posted it over the API. `serviceWindow` is the one of the thread from now on, where its channel has windows. */
export interface ThreadMessageReceivedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'thread.message.received';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    message: Message;
    /** Who posted it over the API. */
    reportedBy?: Actor;
    /** Whether free-form messages may be sent now, and until when. */
    serviceWindow?: ServiceWindow;
  };
}

/** An outbound message was created on a thread. */
export interface ThreadMessageCreatedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'thread.message.created';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    message: Message;
  };
}

/** A message got its provider's id, and its status stayed; or it is known what became of its file. */
export interface ThreadMessageUpdatedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'thread.message.updated';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    message: Message;
    /** How many messages of the thread have failed by now, where this event has changed it. */
    failedSends?: number;
  };
}

/** An inbound message opened the service window. */
export interface ThreadServiceWindowOpenedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'thread.service_window.opened';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    thread: Thread;
    /** Whether free-form messages may be sent now, and until when. */
    serviceWindow: ServiceWindow;
  };
}

/** The service window is about to close. */
export interface ThreadServiceWindowClosingEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'thread.service_window.closing';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    thread: Thread;
    /** Whether free-form messages may be sent now, and until when. */
    serviceWindow: ServiceWindow;
  };
}

/** The service window has closed: templates only. */
export interface ThreadServiceWindowClosedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'thread.service_window.closed';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    thread: Thread;
    /** Whether free-form messages may be sent now, and until when. */
    serviceWindow: ServiceWindow;
  };
}

/** An eligible referral started a free entry. */
export interface ThreadFreeEntryPendingEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'thread.free_entry.pending';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    thread: Thread;
    freeEntry: FreeEntry;
  };
}

/** A free entry opened for 72 hours. */
export interface ThreadFreeEntryOpenedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'thread.free_entry.opened';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    thread: Thread;
    freeEntry: FreeEntry;
  };
}

/** A free entry has ended. */
export interface ThreadFreeEntryClosedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'thread.free_entry.closed';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    thread: Thread;
    freeEntry: FreeEntry;
  };
}

/** An operator or the participant is typing. */
export interface ThreadTypingStartedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'thread.typing.started';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    userId?: string;
  };
}

/** Typing has stopped. */
export interface ThreadTypingStoppedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'thread.typing.stopped';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    userId?: string;
  };
}

export interface ThreadViewer {
  userId: string;
  displayName: string;
  /** The name of a colour; null: the client chooses one. */
  avatarColor: 'gray' | 'red' | 'pink' | 'grape' | 'violet' | 'indigo' | 'blue' | 'cyan' | 'teal' | 'green' | 'lime' | 'yellow' | 'orange' | null;
  /** From this instant on. */
  since: string;
}

/** The operators who look at a thread changed: those who do now. For users alone. */
export interface ThreadViewerChangedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'thread.viewer.changed';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    userIds: string[];
    viewers: ThreadViewer[];
  };
}

export interface Channel {
  channelId: string;
  /** The project. */
  projectId: string;
  /** The environment. */
  environmentId: string;
  /** A name for people to read. */
  name: string;
  kind: 'sandbox' | 'custom' | 'chatapp';
  /** The current status. */
  status: 'disconnected' | 'connecting' | 'connected' | 'error';
  /** Your own JSON object, stored as it is. */
  metadata: Record<string, unknown>;
  /** When it was created. */
  createdAt: string;
  /** When it last changed. */
  updatedAt: string;
  /** The agent of threads that have no agent of their own. */
  defaultAgentId?: string | null;
}

/** A channel was created. */
export interface ChannelLifecycleCreatedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'channel.lifecycle.created';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    channel: Channel;
  };
}

/** A channel's status changed. */
export interface ChannelStatusChangedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'channel.status.changed';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    channel: Channel;
  };
}

/** A custom channel has to send a message: this is the channel command. */
export interface ChannelMessageRequestedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'channel.message.requested';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    message: Message;
    /** Your name for the participant. A channel has one thread for each. */
    externalRef?: string | null;
  };
}

/** The chat provider reports a message as sent. */
export interface ChannelMessageSentEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'channel.message.sent';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    message: Message;
    /** How many messages of the thread have failed by now, where this event has changed it. */
    failedSends?: number;
    /** When it happened, by the provider. */
    occurredAt?: string;
  };
}

/** Delivery receipt. */
export interface ChannelMessageDeliveredEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'channel.message.delivered';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    message: Message;
    /** How many messages of the thread have failed by now, where this event has changed it. */
    failedSends?: number;
    /** When it happened, by the provider. */
    occurredAt?: string;
  };
}

/** Read receipt. */
export interface ChannelMessageReadEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'channel.message.read';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    message: Message;
    /** How many messages of the thread have failed by now, where this event has changed it. */
    failedSends?: number;
    /** When it happened, by the provider. */
    occurredAt?: string;
  };
}

/** Delivery failed. */
export interface ChannelMessageDeliveryFailedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'channel.message.delivery_failed';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    message: Message;
    /** How many messages of the thread have failed by now, where this event has changed it. */
    failedSends?: number;
    /** When it happened, by the provider. */
    occurredAt?: string;
    error?: Record<string, unknown> | null;
  };
}

/** A channel access token is close to expiry and cannot be renewed automatically; the owner must act. */
export interface ChannelCredentialExpiringEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'channel.credential.expiring';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    channel: Channel;
    /** When it expires. */
    expiresAt?: string | null;
  };
}

/** A channel access token has expired. */
export interface ChannelCredentialExpiredEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'channel.credential.expired';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    channel: Channel;
    /** When it expires. */
    expiresAt?: string | null;
  };
}

/** A channel access token was renewed. */
export interface ChannelCredentialRenewedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'channel.credential.renewed';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    channel: Channel;
    /** When it expires. */
    expiresAt?: string | null;
  };
}

export interface ChatappTemplate {
  id: string;
  /** Its name at the chat provider. One name may have several languages. */
  name: string;
  /** The provider's code of the template's language. */
  language: string;
  category?: string;
  /** In the chat provider's words; only what is `APPROVED` can be sent. */
  status?: string;
  /** Header, body, footer and buttons, as the chat provider defines them. */
  components: (Record<string, unknown>)[];
}

/** A message template's status changed at the provider. `reason` says why, in the provider's words. */
export interface ChannelTemplateStatusChangedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'channel.template.status_changed';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    template: ChatappTemplate;
    reason?: string | null;
  };
}

export interface AgentSplit {
  /** A published version of the loom that is not the active one. */
  loomVersionId: string;
  /** How many of a hundred threads. */
  percent: number;
  /** When it began; another share does not change it. */
  startedAt: string;
}

export interface Agent {
  agentId: string;
  /** The project. */
  projectId: string;
  /** A name for people to read. */
  name: string;
  /** auto: answers by itself. suggest: people approve first. paused: does not answer. */
  mode: 'auto' | 'suggest' | 'paused';
  loomId?: string | null;
  activeLoomVersionId?: string;
  /** Some threads are answered by another version than the active one; null: none. */
  split?: AgentSplit | null;
  /** Your own JSON object, stored as it is. */
  metadata: Record<string, unknown>;
  /** When it was created. */
  createdAt: string;
  /** When it last changed. */
  updatedAt: string;
  /** When it was archived; null: not archived. */
  archivedAt?: string | null;
  /** The environment. */
  environmentId?: string;
}

/** An agent was created. */
export interface AgentLifecycleCreatedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'agent.lifecycle.created';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    agent: Agent;
  };
}

/** An agent was changed. */
export interface AgentLifecycleUpdatedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'agent.lifecycle.updated';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    agent: Agent;
  };
}

export interface ToolCallApproval {
  /** pending: the call waits. */
  status: 'pending' | 'approved' | 'refused' | 'expired';
  /** When it expires. */
  expiresAt: string;
  resolvedAt?: string;
  resolvedByUserId?: string | null;
  /** Why it was refused: the model is told. */
  reason?: string;
}

export interface TracedCall {
  /** Also the `Idempotency-Key` of the request. */
  callId: string;
  /** The tool's name for the model. */
  name: string;
  /** The tool; null: there is none of that name, or it is built in. */
  toolId: string | null;
  /** As the model wrote them; parsed if they are JSON. */
  arguments: unknown;
  /** interrupted: the node died while the call was in flight, and what it did is not known; or the run ended first. */
  status: 'awaiting_approval' | 'pending' | 'succeeded' | 'failed' | 'interrupted';
  /** Where the tool requires the approval of a person. */
  approval?: ToolCallApproval;
  /** Attempts that were begun. */
  attempts: number;
  /** When the last attempt was begun. */
  startedAt: string;
  durationMs: number | null;
  httpStatus: number | null;
  /** What the model was told. */
  result: unknown;
  /** Why the call failed, in words; null: it did not. */
  error: string | null;
}

export interface TracedStep {
  /** From 1. */
  step: number;
  startedAt: string;
  durationMs: number;
  /** The characters of everything that was sent to the model. */
  promptCharacters: number;
  promptTokens: number | null;
  completionTokens: number | null;
  costMicros: number | null;
  /** Why the model stopped: stop, length, tool-calls, content-filter or other. */
  finishReason: string;
  /** What the model wrote. */
  output: string;
  toolCalls: TracedCall[];
}

export interface Suggestion {
  body: string;
  /** The current status. */
  status: 'pending' | 'approved' | 'edited' | 'discarded' | 'superseded' | 'expired';
  /** The thread's number that the run answered. */
  basedOnSequence: number;
  /** Why an automatic answer became a suggestion; absent in suggest mode. */
  reason?: 'human_active' | 'mode_changed' | 'too_long' | 'not_sendable';
  /** When it was created. */
  createdAt: string;
  resolvedAt?: string;
  resolvedByUserId?: string | null;
  /** The text that was sent, if it was edited. */
  sentBody?: string;
  /** Why it was discarded, if that was said. */
  discardReason?: string;
  /** The message that was sent. */
  messageId?: string;
}

export interface SpentBudget {
  scope: 'run' | 'thread' | 'project_day';
  limitMicros: number;
  spentMicros: number;
  fallsTo: 'suggest' | 'paused';
}

export interface RunTrace {
  steps: TracedStep[];
  /** In suggest mode, or where the answer could not be sent; and what became of it. */
  suggestion?: Suggestion;
  /** The model asked for a person. */
  handoff?: {
    reason: string;
  };
  /** The budget that stopped the run. */
  budget?: SpentBudget;
}

export interface AgentRun {
  agentRunId: string;
  /** The project. */
  projectId: string;
  agentId?: string | null;
  loomId?: string | null;
  loomVersionId?: string;
  threadId?: string | null;
  inputMessageId?: string | null;
  outputMessageId?: string | null;
  /** The current status. */
  status: 'pending' | 'running' | 'succeeded' | 'failed' | 'cancelled';
  /** llm_provider_1 uses the wire format of OpenAI, llm_provider_2 of Anthropic, llm_provider_3 of Google Gemini. */
  provider: 'llm_provider_1' | 'llm_provider_2' | 'llm_provider_3';
  /** The name that the provider uses. */
  model: string;
  /** auto: answers by itself. suggest: people approve first. paused: does not answer. */
  mode: 'auto' | 'suggest' | 'paused';
  promptTokens?: number | null;
  completionTokens?: number | null;
  totalTokens?: number | null;
  estimatedCostMicros?: number | null;
  errorCode?: string | null;
  errorMessage?: string | null;
  toolCallCount: number;
  /** What was done, step by step. Lists and events leave its steps out. */
  trace: RunTrace;
  /** Your own JSON object, stored as it is. */
  metadata: Record<string, unknown>;
  startedAt?: string | null;
  completedAt?: string | null;
  /** When it was created. */
  createdAt: string;
  /** When it last changed. */
  updatedAt: string;
  /** The environment. */
  environmentId?: string;
}

/** An agent run was queued. */
export interface AgentRunQueuedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'agent.run.queued';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    agentRun: AgentRun;
  };
}

/** An agent run has started. */
export interface AgentRunStartedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'agent.run.started';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    agentRun: AgentRun;
  };
}

/** An agent run has succeeded. */
export interface AgentRunSucceededEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'agent.run.succeeded';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    agentRun: AgentRun;
  };
}

/** An agent run has failed. */
export interface AgentRunFailedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'agent.run.failed';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    agentRun: AgentRun;
  };
}

/** An agent run was cancelled. */
export interface AgentRunCancelledEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'agent.run.cancelled';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    agentRun: AgentRun;
  };
}

/** A piece of the text that a model is writing in one step of a run. `offset` counts what came before it in that step, in UTF-16 code units: one that is smaller than what is known begins the text anew, since the step is asked again. An empty piece ends the text: tools are called. Nodes of earlier releases leave out `step` and `offset`. */
export interface AgentOutputDeltaEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'agent.output.delta';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    agentRunId: string;
    delta: string;
    step?: number;
    offset?: number;
  };
}

/** A suggestion waits for an operator. */
export interface AgentSuggestionCreatedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'agent.suggestion.created';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    agentRunId: string;
    suggestion: Suggestion;
  };
}

/** A suggestion was approved, edited or discarded. */
export interface AgentSuggestionResolvedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'agent.suggestion.resolved';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    agentRunId: string;
    suggestion: Suggestion;
  };
}

export interface EndedSuggestion {
  /** The current status. */
  status: 'pending' | 'approved' | 'edited' | 'discarded' | 'superseded' | 'expired';
  /** The thread's number that the run answered. */
  basedOnSequence: number;
  /** Why an automatic answer became a suggestion; absent in suggest mode. */
  reason?: 'human_active' | 'mode_changed' | 'too_long' | 'not_sendable';
  /** When it was created. */
  createdAt: string;
  resolvedAt?: string;
  resolvedByUserId?: string | null;
  /** The text that was sent, if it was edited. */
  sentBody?: string;
  /** Why it was discarded, if that was said. */
  discardReason?: string;
  /** The message that was sent. */
  messageId?: string;
}

/** A newer message has overtaken a suggestion. */
export interface AgentSuggestionSupersededEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'agent.suggestion.superseded';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    agentRunId: string;
    suggestion: EndedSuggestion;
  };
}

/** Nobody has resolved a suggestion for a day. */
export interface AgentSuggestionExpiredEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'agent.suggestion.expired';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    agentRunId: string;
    suggestion: EndedSuggestion;
  };
}

/** An agent has asked for a human; its thread is paused. */
export interface AgentHandoffRequestedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'agent.handoff.requested';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    agentRunId: string;
    reason: string;
  };
}

/** A budget is used up: the run has ended, and its thread falls to another mode. */
export interface AgentBudgetExceededEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'agent.budget.exceeded';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    agentRunId: string;
    scope: 'run' | 'thread' | 'project_day';
    /** The budget, in millionths of a US dollar. */
    limitMicros: number;
    /** What has been spent, in millionths of a US dollar. */
    spentMicros: number;
    /** The mode that the thread changes to. */
    fallsTo: 'suggest' | 'paused';
  };
}

/** A tool call of a run waits for a person to approve or refuse it. */
export interface AgentToolApprovalRequestedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'agent.tool.approval_requested';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    agentRunId: string;
    callId: string;
    toolId: string | null;
    /** When it expires. */
    expiresAt: string;
  };
}

/** A tool call was approved or refused, or nobody has decided within a day. `reason` is why it was refused. */
export interface AgentToolApprovalResolvedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'agent.tool.approval_resolved';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    agentRunId: string;
    callId: string;
    toolId: string | null;
    /** The current status. */
    status: 'approved' | 'refused' | 'expired';
    reason?: string;
  };
}

/** A tool call of a run has completed. */
export interface AgentToolCompletedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'agent.tool.completed';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    agentRunId: string;
    callId: string;
    toolId: string | null;
    durationMs?: number;
    error?: string | null;
  };
}

/** A tool call of a run has failed. */
export interface AgentToolFailedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'agent.tool.failed';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    agentRunId: string;
    callId: string;
    toolId: string | null;
    durationMs?: number;
    error?: string | null;
  };
}

export interface LoomVersion {
  loomVersionId: string;
  /** The project. */
  projectId: string;
  loomId: string;
  version: number;
  /** The current status. */
  status: 'published' | 'archived';
  systemPrompt: string;
  /** Instructions for the model, in addition to the prompt. */
  rules: string[];
  /** llm_provider_1 uses the wire format of OpenAI, llm_provider_2 of Anthropic, llm_provider_3 of Google Gemini. */
  provider: 'llm_provider_1' | 'llm_provider_2' | 'llm_provider_3';
  /** The name that the provider uses. */
  model: string;
  /** The LLM provider key; null: the newest active one of the provider. */
  byokCredentialId?: string | null;
  /** auto: answers by itself. suggest: people approve first. paused: does not answer. */
  mode: 'auto' | 'suggest' | 'paused' | null;
  temperature?: number | null;
  maxTokens?: number | null;
  /** The tools that the model may call. */
  toolIds: string[];
  /** Your own JSON object, stored as it is. */
  metadata: Record<string, unknown>;
  /** When it was created. */
  createdAt: string;
  /** The environment. */
  environmentId?: string;
}

/** A loom version was published. */
export interface LoomVersionPublishedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'loom.version.published';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    loomVersion: LoomVersion;
  };
}

/** A loom version was activated. */
export interface LoomVersionActivatedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'loom.version.activated';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    loomVersion: LoomVersion;
  };
}

export interface Tool {
  toolId: string;
  /** The project. */
  projectId: string;
  /** A name for people, and for the model. */
  name: string;
  url: string | null;
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Sent with every request to the tool. Values are shown as `[redacted]`; a value that you send back so stays unchanged. */
  headers: Record<string, unknown>;
  /** How long one attempt may take, in milliseconds. */
  timeoutMs: number;
  /** Attempts in all, each with the same `Idempotency-Key`. */
  retryMaxAttempts: number;
  /** The wait before the second attempt, in milliseconds; twice as long before each further one. */
  retryBackoffMs: number;
  /** The current status. */
  status: 'active' | 'disabled' | 'error';
  /** Your own JSON object, stored as it is. */
  metadata: Record<string, unknown>;
  /** When it was created. */
  createdAt: string;
  /** When it last changed. */
  updatedAt: string;
  /** The environment. */
  environmentId?: string;
  /** Tells the model what the tool is for. */
  description?: string | null;
  /** The arguments that the model passes: a JSON Schema of type object, at most 32 KiB, without external references. */
  inputSchema?: Record<string, unknown> | null;
  /** Whether each call that a model wants waits until a person approves it. */
  requiresApproval?: boolean;
}

/** A tool's status changed. */
export interface ToolStatusChangedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'tool.status.changed';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    tool: Tool;
  };
}

/** A tool's signing secret was rotated. */
export interface ToolSecretRotatedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'tool.secret.rotated';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    tool: Tool;
  };
}

export interface ByokCredential {
  /** The LLM provider key. */
  byokCredentialId: string;
  /** The project. */
  projectId: string;
  /** llm_provider_1 uses the wire format of OpenAI, llm_provider_2 of Anthropic, llm_provider_3 of Google Gemini. */
  provider: 'llm_provider_1' | 'llm_provider_2' | 'llm_provider_3';
  displayName: string;
  /** The current status. */
  status: 'active' | 'revoked' | 'rotating';
  /** Distinguishes secrets without revealing them. */
  keyFingerprint: string;
  /** Models that the key may be used for; none: all. */
  modelAllowlist: string[];
  /** When it was last used, to the minute or so. */
  lastUsedAt?: string | null;
  rotationGraceExpiresAt?: string | null;
  /** When it was revoked; null: not revoked. */
  revokedAt?: string | null;
  /** Your own JSON object, stored as it is. */
  metadata: Record<string, unknown>;
  /** When it was created. */
  createdAt: string;
  /** When it last changed. */
  updatedAt: string;
  /** The environment. */
  environmentId?: string;
}

/** An LLM provider key was registered. */
export interface ByokCredentialCreatedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'byok.credential.created';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    byokCredential: ByokCredential;
  };
}

/** An LLM provider key was rotated. */
export interface ByokCredentialRotatedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'byok.credential.rotated';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    byokCredential: ByokCredential;
  };
}

/** An LLM provider key was revoked. */
export interface ByokCredentialRevokedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'byok.credential.revoked';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    byokCredential: ByokCredential;
  };
}

/** The LLM provider rejected a key. */
export interface ByokCredentialRejectedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'byok.credential.rejected';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    byokCredential: ByokCredential;
  };
}

export interface Stitch {
  stitchId: string;
  /** The project. */
  projectId: string;
  /** A name for people to read. */
  name: string;
  /** Where events are posted to. Production requires https. */
  webhookUrl: string | null;
  /** The current status. */
  status: 'active' | 'disabled' | 'error';
  /** Names and patterns (`thread.*`); none: all events. */
  eventNames: string[];
  /** Your own JSON object, stored as it is. */
  metadata: Record<string, unknown>;
  /** When it was created. */
  createdAt: string;
  /** When it last changed. */
  updatedAt: string;
  /** When it was archived; null: not archived. */
  archivedAt?: string | null;
  /** The environment. */
  environmentId?: string;
}

/** A stitch's status changed. Not delivered to the stitch itself. */
export interface StitchStatusChangedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'stitch.status.changed';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    stitch: Stitch;
    previousStatus?: 'active' | 'disabled' | 'error';
  };
}

/** A stitch's secret was rotated. */
export interface StitchSecretRotatedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'stitch.secret.rotated';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    stitch: Stitch;
  };
}

export interface WebhookDelivery {
  deliveryId: string;
  /** The project. */
  projectId: string;
  stitchId?: string | null;
  /** The event. */
  eventId?: string | null;
  /** The current status. */
  status: 'pending' | 'delivering' | 'delivered' | 'retrying' | 'failed' | 'cancelled';
  attemptCount: number;
  responseStatus?: number | null;
  lastError?: string | null;
  lastAttemptAt?: string | null;
  nextAttemptAt?: string | null;
  /** When it was created. */
  createdAt: string;
  /** When it last changed. */
  updatedAt: string;
  /** The environment. */
  environmentId?: string;
  /** Three dotted words: `thread.message.received`. */
  eventName?: string;
  trigger?: 'scheduled' | 'manual' | 'replay' | 'test';
  threadId?: string | null;
}

/** A delivery has failed for good. */
export interface StitchDeliveryExhaustedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'stitch.delivery.exhausted';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    delivery: WebhookDelivery;
  };
}

/** A test event that a user asked for. */
export interface StitchTestPingEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'stitch.test.ping';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    stitch: Stitch;
  };
}

export interface ApiKey {
  apiKeyId: string;
  /** The project. */
  projectId: string;
  /** A name for people to read. */
  name: string;
  /** test: the sandbox. live: production. */
  environment: 'test' | 'live';
  /** The first characters of the secret, to recognise it by. */
  keyPrefix: string;
  /** What the key may do; `*` allows everything that a key can do. */
  scopes: string[];
  /** When it was created. */
  createdAt: string;
  /** When it expires; null: never. */
  expiresAt?: string | null;
  /** The current status. */
  status: 'active' | 'revoked' | 'rotating';
  /** When it was revoked; null: not revoked. */
  revokedAt?: string | null;
  rotationGraceExpiresAt?: string | null;
  /** When it was last used, to the minute or so. */
  lastUsedAt?: string | null;
  lastUsedIp?: string | null;
}

/** An API key was created. */
export interface ProjectApiKeyCreatedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'project.api_key.created';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    apiKey: ApiKey;
  };
}

/** An API key was renamed. */
export interface ProjectApiKeyUpdatedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'project.api_key.updated';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    apiKey: ApiKey;
  };
}

/** An API key was rotated: it works until its grace period is over, and its successor from now on. */
export interface ProjectApiKeyRotatedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'project.api_key.rotated';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    apiKey: ApiKey;
    newKey?: ApiKey;
  };
}

/** An API key was revoked. */
export interface ProjectApiKeyRevokedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'project.api_key.revoked';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    apiKey: ApiKey;
  };
}

export interface ConsoleMember {
  /** The project. */
  projectId: string;
  userId: string;
  /** What the user may do. */
  role: 'project_owner' | 'agent' | 'viewer';
  /** When it was created. */
  createdAt: string;
  /** When it last changed. */
  updatedAt: string;
}

/** A Console member was added or given another role. */
export interface ProjectMemberUpsertedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'project.member.upserted';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    member: ConsoleMember;
  };
}

/** A Console member was removed. */
export interface ProjectMemberRemovedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'project.member.removed';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    member: ConsoleMember;
  };
}

export interface ProjectMember {
  /** The project. */
  projectId: string;
  userId: string;
  /** What the user may do. */
  role: 'developer' | 'viewer';
  /** When it was created. */
  createdAt: string;
  /** When it last changed. */
  updatedAt: string;
}

/** A member of the workspace was given a role in the project, or another one. */
export interface ProjectRoleUpsertedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'project.role.upserted';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    member: ProjectMember;
  };
}

/** A member of the workspace lost the role in the project. */
export interface ProjectRoleRemovedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'project.role.removed';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    member: ProjectMember;
  };
}

export interface WorkspaceInvitation {
  invitationId: string;
  /** The workspace. */
  workspaceId: string;
  email: string;
  /** The role in the workspace after acceptance. */
  studioRole: 'owner' | 'admin' | 'viewer';
  /** The role in the Console of its projects after acceptance. */
  consoleRole: 'project_owner' | 'agent' | 'viewer';
  invitedByUserId: string;
  /** When it expires. */
  expiresAt: string;
  /** When it was accepted; null: not yet. */
  acceptedAt?: string | null;
  /** When it was revoked; null: not revoked. */
  revokedAt?: string | null;
  /** When it was created. */
  createdAt: string;
}

/** Somebody was invited to the workspace. */
export interface WorkspaceInvitationCreatedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'workspace.invitation.created';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    invitation: WorkspaceInvitation;
  };
}

/** An invitation was accepted. */
export interface WorkspaceInvitationAcceptedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'workspace.invitation.accepted';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    invitation: WorkspaceInvitation;
  };
}

/** An invitation was revoked. */
export interface WorkspaceInvitationRevokedEvent {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** When it happened. */
  occurredAt: string;
  /** The version of the contract when the event was created. */
  apiVersion: string;
  /** The project. */
  projectId: string;
  eventName: 'workspace.invitation.revoked';
  data: {
    /** The environment. */
    environmentId: string;
    threadId?: string;
    channelId?: string;
    /** Number of the event in its thread, from 1, without gaps. */
    sequence?: number;
    /** Who did it. */
    actor?: Actor;
    /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
    test?: true;
    invitation: WorkspaceInvitation;
  };
}

/** Anything that happened, told apart by `eventName`. New names may be added within /v1. After an erasure of personal data `data` has `erased: true`, the ids, and empty shapes. */
export type SkeinEvent = 
  | ThreadLifecycleCreatedEvent
  | ThreadLifecycleUpdatedEvent
  | ThreadLifecycleErasedEvent
  | ThreadStatusChangedEvent
  | ThreadAgentModeChangedEvent
  | ThreadTagsChangedEvent
  | ThreadAssignmentChangedEvent
  | ThreadSnoozeChangedEvent
  | ThreadNoteCreatedEvent
  | ThreadNoteUpdatedEvent
  | ThreadNoteDeletedEvent
  | ThreadMessageReceivedEvent
  | ThreadMessageCreatedEvent
  | ThreadMessageUpdatedEvent
  | ThreadServiceWindowOpenedEvent
  | ThreadServiceWindowClosingEvent
  | ThreadServiceWindowClosedEvent
  | ThreadFreeEntryPendingEvent
  | ThreadFreeEntryOpenedEvent
  | ThreadFreeEntryClosedEvent
  | ChannelLifecycleCreatedEvent
  | ChannelStatusChangedEvent
  | ChannelMessageRequestedEvent
  | ChannelMessageSentEvent
  | ChannelMessageDeliveredEvent
  | ChannelMessageReadEvent
  | ChannelMessageDeliveryFailedEvent
  | ChannelCredentialExpiringEvent
  | ChannelCredentialExpiredEvent
  | ChannelCredentialRenewedEvent
  | ChannelTemplateStatusChangedEvent
  | AgentLifecycleCreatedEvent
  | AgentLifecycleUpdatedEvent
  | AgentRunQueuedEvent
  | AgentRunStartedEvent
  | AgentRunSucceededEvent
  | AgentRunFailedEvent
  | AgentRunCancelledEvent
  | AgentSuggestionCreatedEvent
  | AgentSuggestionResolvedEvent
  | AgentSuggestionSupersededEvent
  | AgentSuggestionExpiredEvent
  | AgentHandoffRequestedEvent
  | AgentBudgetExceededEvent
  | AgentToolApprovalRequestedEvent
  | AgentToolApprovalResolvedEvent
  | AgentToolCompletedEvent
  | AgentToolFailedEvent
  | LoomVersionPublishedEvent
  | LoomVersionActivatedEvent
  | ToolStatusChangedEvent
  | ToolSecretRotatedEvent
  | ByokCredentialCreatedEvent
  | ByokCredentialRotatedEvent
  | ByokCredentialRevokedEvent
  | ByokCredentialRejectedEvent
  | StitchStatusChangedEvent
  | StitchSecretRotatedEvent
  | StitchDeliveryExhaustedEvent
  | StitchTestPingEvent
  | ProjectApiKeyCreatedEvent
  | ProjectApiKeyUpdatedEvent
  | ProjectApiKeyRotatedEvent
  | ProjectApiKeyRevokedEvent
  | ProjectMemberUpsertedEvent
  | ProjectMemberRemovedEvent
  | ProjectRoleUpsertedEvent
  | ProjectRoleRemovedEvent
  | WorkspaceInvitationCreatedEvent
  | WorkspaceInvitationAcceptedEvent
  | WorkspaceInvitationRevokedEvent;

/** An event of the Console stream alone: it has no number, and is neither kept nor delivered to stitches. */
export type EphemeralEvent = 
  | ThreadTypingStartedEvent
  | ThreadTypingStoppedEvent
  | ThreadViewerChangedEvent
  | AgentOutputDeltaEvent;

/** An event with its number in the stream of its project. */
export type ConsoleStreamEvent = SkeinEvent & {
  /** Its number in the project's stream, for `afterSeq` and for `resume`. */
  seq: number;
};

export interface SignUpBody {
  email: string;
  /** The new password: 8 to 256 characters. */
  password: string;
  workspaceName?: string | undefined;
  /** Default: studio. */
  app?: 'studio' | 'console' | undefined;
}

export interface TokenResponse {
  /** For `Authorization: Bearer`. */
  accessToken: string;
  tokenType: 'Bearer';
  /** Lifetime in seconds. */
  expiresIn: number;
}

export interface ErrorBody {
  /** The code, `svc/<area>/<reason>`. Codes are stable. */
  error: string;
  /** For people. Programs should use the code and not parse this text. */
  message: string;
  /** Identifies the request: quote it when you ask for help. Also in the header X-Request-Id. */
  requestId: string;
  /** Where the error is explained. */
  docsUrl?: string;
  /** What to correct, if anything: validation errors list `issues`. */
  details?: Record<string, unknown>;
}

export interface LoginBody {
  email: string;
  password: string;
}

export interface StudioUser {
  userId: string;
  email: string;
  emailVerified: boolean;
  /** The workspace. */
  workspaceId: string;
  workspaceRole: 'owner' | 'admin' | 'viewer';
  /** The project. */
  projectId?: string;
  projectRole?: 'developer' | 'viewer';
}

export interface VerifyEmailBody {
  /** From the link that was mailed. Works once. */
  token: string;
}

export interface Accepted {
  accepted: true;
}

export interface ForgotPasswordBody {
  email: string;
  /** Default: studio. */
  app?: 'studio' | 'console' | undefined;
}

export interface ResetPasswordBody {
  /** From the link that was mailed. Works once. */
  token: string;
  /** The new password: 8 to 256 characters. */
  password: string;
}

export interface AcceptInvitationBody {
  /** From the link that was mailed. Works once. */
  token: string;
  /** Of the account that the address has, or for its new one: 8 to 256 characters. */
  password?: string | undefined;
}

export interface SessionDevice {
  /** The browser or program; null: unknown. */
  browser: string | null;
  /** The operating system; null: unknown. */
  system: string | null;
}

export interface Session {
  sessionId: string;
  /** Whether it is the session of this request. */
  current: boolean;
  /** What its user agent says of it, roughly. */
  device: SessionDevice;
  /** As the client sent it when it signed in; null: it sent none. */
  userAgent: string | null;
  /** Where it signed in from. */
  address: string | null;
  /** When it signed in. */
  createdAt: string;
  /** When it was last used, to about 15 minutes. */
  lastUsedAt: string;
  /** When it ends, unless it is used before. */
  expiresAt: string;
}

export interface EndedSessions {
  /** How many sessions have ended. */
  ended: number;
}

export interface ChangePasswordBody {
  /** The present password of the account. */
  password: string;
  /** 8 to 256 characters. */
  newPassword: string;
}

export interface ChangeEmailBody {
  /** A link is mailed there. */
  newEmail: string;
  /** The present password of the account. */
  password: string;
}

export interface ConfirmEmailBody {
  /** From the link that was mailed. Works once. */
  token: string;
  /** The present password of the account. */
  password: string;
}

export interface DeleteAccountBody {
  /** The present password of the account. */
  password: string;
}

export interface SecondFactor {
  /** Whether there is an authenticator app, whose codes a login takes. */
  enabled: boolean;
  /** When the app was set up; null: there is none. */
  since: string | null;
  /** Recovery codes that were not used yet. */
  recoveryCodesLeft: number;
  /** How many passkeys there are, each of which a login takes in the place of a code. */
  passkeys: number;
}

export interface SecondFactorBody {
  /** The present password of the account. */
  password: string;
}

export interface SecondFactorEnrolment {
  /** For the authenticator app, in base32. Shown once. */
  secret: string;
  /** The same as an address (otpauth), for a QR code. */
  uri: string;
}

export interface SecondFactorCodeBody {
  /** What the authenticator app shows, or a recovery code. */
  code: string;
}

export interface RecoveryCodes {
  /** Each stands for a code, once. Shown once. */
  recoveryCodes: string[];
}

export interface PasswordAndCodeBody {
  /** The present password of the account. */
  password: string;
  /** What the authenticator app shows, or a recovery code. */
  code: string;
}

export interface SecondFactorLoginBody {
  /** `details.challenge` of the answer to the password. */
  challenge: string;
  /** What the authenticator app shows, or a recovery code. */
  code: string;
}

export interface Passkey {
  passkeyId: string;
  /** By which its user knows it: a device, or a keychain. */
  name: string;
  /** Whether the keychain that has it keeps copies, on other devices of the user. */
  backedUp: boolean;
  /** When it was created. */
  createdAt: string;
  /** When it signed in the last time; null: never. */
  lastUsedAt: string | null;
}

export interface BeginPasskeyBody {
  /** The present password of the account. */
  password: string;
}

export interface PasskeyOptions {
  /** For the browser, in the JSON form of WebAuthn. */
  options: Record<string, unknown>;
}

export interface CreatePasskeyBody {
  /** By which its user knows it: a device, or a keychain. */
  name: string;
  /** RegistrationResponseJSON of WebAuthn, from the browser. */
  response: Readonly<Record<string, unknown>>;
}

export interface AddedPasskey {
  passkey: Passkey;
  /** Each stands for a code, once. Shown once; empty where the user has some left. */
  recoveryCodes: string[];
}

export interface UpdatePasskeyBody {
  /** By which its user knows it: a device, or a keychain. */
  name: string;
}

export interface RemovePasskeyBody {
  /** The present password of the account. */
  password: string;
}

export interface PasskeyLoginOptionsBody {
  /** `details.challenge` of the answer to the password; absent: the passkey signs in alone. */
  challenge?: string | undefined;
}

export interface PasskeyLoginBody {
  /** `details.challenge` of the answer to the password; absent: the passkey signs in alone. */
  challenge?: string | undefined;
  /** AuthenticationResponseJSON of WebAuthn, from the browser. */
  response: Readonly<Record<string, unknown>>;
}

export interface DnsRecord {
  /** Where the record is. */
  name: string;
  type: 'TXT';
  /** What it says. */
  value: string;
}

export interface SsoDomain {
  /** As it is after the @ of its addresses. */
  domain: string;
  /** What the DNS of the domain has to have. */
  record: DnsRecord;
  /** When the record was found; null: nobody signs in by it yet. */
  provenAt: string | null;
  /** Whether its addresses sign in by the provider alone, but for owners of the workspace. */
  required: boolean;
}

export interface SingleSignOn {
  /** The workspace. */
  workspaceId: string;
  /** The provider, by the address at which it describes itself (OpenID Connect Discovery). */
  issuer: string | null;
  /** As the provider has given it out. */
  clientId: string | null;
  /** What the provider has to know as the address that it leads back to. */
  redirectUri: string;
  /** Whose addresses sign in by the provider. */
  domains: SsoDomain[];
  /** When it last changed. */
  updatedAt: string | null;
}

export interface SetSingleSignOnBody {
  /** The provider, by the address at which it describes itself (OpenID Connect Discovery). */
  issuer: string;
  /** As the provider has given it out. */
  clientId: string;
  /** As the provider has given it out. Shown to nobody; absent: it stays. */
  clientSecret?: string | undefined;
}

export interface AddSsoDomainBody {
  /** As it is after the @ of its addresses. */
  domain: string;
}

export interface UpdateSsoDomainBody {
  /** Whether its addresses sign in by the provider alone, but for owners of the workspace. */
  required: boolean;
}

export interface BeginSingleSignOnBody {
  /** Whose domain says which provider it is. */
  email: string;
}

export interface StartedSingleSignOn {
  /** Names the sign-in. Stays in the browser that began it. */
  flow: string;
  /** Where to send the browser. */
  url: string;
}

export interface FinishSingleSignOnBody {
  /** From the answer that began the sign-in. */
  flow: string;
  /** As the provider has sent it back. */
  code: string;
  /** As the provider has sent it back. */
  state: string;
  /** The parameter iss, where the provider has sent one. */
  issuer?: string | undefined;
}

export interface SavedFilter {
  /** One of those that GET /console/projects/{projectId}/queues counts. */
  queue: 'mine' | 'unassigned' | 'allOpen' | 'needsApproval' | 'waitingLongest' | 'windowClosing' | 'failedSends' | 'paused' | 'closed' | 'snoozed';
  /** What the queue is narrowed down to: filters of GET /threads. */
  filters: {
    channelId?: string[];
    tag?: string[];
    agentMode?: ('auto' | 'suggest' | 'paused' | 'none')[];
    assigneeUserId?: (string | 'unassigned')[];
    unread?: boolean;
  };
}

export interface Profile {
  userId: string;
  /** Your e-mail address. */
  email: string;
  /** How others see you. */
  displayName: string;
  /** The name of a colour; null: the client chooses one. */
  avatarColor: 'gray' | 'red' | 'pink' | 'grape' | 'violet' | 'indigo' | 'blue' | 'cyan' | 'teal' | 'green' | 'lime' | 'yellow' | 'orange' | null;
  /** How the Console tells you that something has happened. */
  notifications: {
    title: boolean;
    sound: boolean;
    browser: boolean;
    showText: boolean;
    about: 'mine' | 'unassigned' | 'all';
  };
  /** auto: as the device has it. */
  theme: 'auto' | 'light' | 'dark';
  /** The language of the Console (BCP 47); null: that of the browser. */
  language: string | null;
  /** By its name; null: that of the browser. */
  timeZone: string | null;
  /** Queues that you have narrowed down and kept: by project, then by name. */
  savedFilters: Record<string, Record<string, SavedFilter>>;
}

export interface SavedFilterInput {
  /** One of those that GET /console/projects/{projectId}/queues counts. */
  queue: 'mine' | 'unassigned' | 'allOpen' | 'needsApproval' | 'waitingLongest' | 'windowClosing' | 'failedSends' | 'paused' | 'closed' | 'snoozed';
  /** What the queue is narrowed down to: filters of GET /threads. */
  filters: {
    channelId?: readonly string[] | undefined;
    tag?: readonly string[] | undefined;
    agentMode?: readonly ('auto' | 'suggest' | 'paused' | 'none')[] | undefined;
    assigneeUserId?: readonly (string | 'unassigned')[] | undefined;
    unread?: boolean | undefined;
  };
}

export interface UpdateProfileBody {
  /** How others see you. */
  displayName?: string | null | undefined;
  /** The name of a colour; null: the client chooses one. */
  avatarColor?: 'gray' | 'red' | 'pink' | 'grape' | 'violet' | 'indigo' | 'blue' | 'cyan' | 'teal' | 'green' | 'lime' | 'yellow' | 'orange' | null | undefined;
  /** How the Console tells you that something has happened. */
  notifications?: {
    title?: boolean | undefined;
    sound?: boolean | undefined;
    browser?: boolean | undefined;
    showText?: boolean | undefined;
    about?: 'mine' | 'unassigned' | 'all' | undefined;
  } | undefined;
  /** auto: as the device has it. */
  theme?: 'auto' | 'light' | 'dark' | undefined;
  /** The language of the Console (BCP 47); null: that of the browser. */
  language?: string | null | undefined;
  /** By its name; null: that of the browser. */
  timeZone?: string | null | undefined;
  /** By project and name: each that is named is replaced as a whole, or removed by null; the others stay. */
  savedFilters?: Readonly<Record<string, Readonly<Record<string, SavedFilterInput | null>>>> | undefined;
}

export interface CallerApiKey {
  apiKeyId: string;
  /** A name for people to read. */
  name: string;
  /** The first characters of the secret, to recognise it by. */
  keyPrefix: string;
}

export interface CallerUser {
  userId: string;
  email: string;
  emailVerified: boolean;
  /** Whether they operate the service: `getSystem` answers them. */
  instanceAdmin: boolean;
}

export interface CallerWorkspace {
  /** The workspace. */
  workspaceId: string;
  /** A name for people to read. */
  name: string;
  /** What the user may do. */
  role: 'owner' | 'admin' | 'viewer';
}

export interface Caller {
  /** api_key: a key of a project. access_token: a signed-in user. service_token: an internal service. */
  type: 'api_key' | 'access_token' | 'service_token';
  /** The project that an API key is bound to; null: the credential is bound to none. */
  projectId: string | null;
  /** The environment that an API key is bound to; null: the credential is bound to none. */
  environmentId: string | null;
  /** Of the environment. */
  environmentKind: 'sandbox' | 'production' | null;
  /** What an API key may do; null: what the roles of the user allow, or everything that gRPC has. */
  scopes: string[] | null;
  /** When the credential stops working; null: not by itself. */
  expiresAt: string | null;
  /** The API key; null: it is none. */
  apiKey: CallerApiKey | null;
  /** Who is signed in; null: nobody. */
  user: CallerUser | null;
  /** The workspaces of which the user is a member, 100 at most; null: nobody is signed in. */
  workspaces: CallerWorkspace[] | null;
  /** The name of the internal service; null: it is none. */
  service: string | null;
}

export interface Workspace {
  /** The workspace. */
  workspaceId: string;
  /** A name for people to read. */
  name: string;
  /** When it was created. */
  createdAt: string;
  /** When it last changed. */
  updatedAt: string;
  /** When it was archived; null: not archived. */
  archivedAt?: string | null;
  /** Whether its members need a second factor. */
  requiresSecondFactor: boolean;
}

export interface CreateWorkspaceBody {
  /** A name for people to read. */
  name: string;
}

export interface UpdateWorkspaceBody {
  /** A name for people to read. */
  name?: string | undefined;
  /** false: back from the archive. */
  archived?: false | undefined;
  /** Whether its members need a second factor. */
  requiresSecondFactor?: boolean | undefined;
}

export interface TransferWorkspaceBody {
  userId: string;
}

export interface MemberProjectRole {
  /** The project. */
  projectId: string;
  /** What the user may do. */
  role: 'developer' | 'viewer';
}

export interface WorkspaceMember {
  /** The workspace. */
  workspaceId: string;
  userId: string;
  email: string;
  /** How others see the user. */
  displayName: string;
  /** The name of a colour; null: the client chooses one. */
  avatarColor: 'gray' | 'red' | 'pink' | 'grape' | 'violet' | 'indigo' | 'blue' | 'cyan' | 'teal' | 'green' | 'lime' | 'yellow' | 'orange' | null;
  /** What the user may do. */
  role: 'owner' | 'admin' | 'viewer';
  /** The roles of the member in single projects of the workspace, by the age of the project, 100 at most. */
  projectRoles: MemberProjectRole[];
  /** When it was created. */
  createdAt: string;
  /** When it last changed. */
  updatedAt: string;
}

export interface ProjectAssignment {
  /** `roundRobin`: in turn to operators who are online and have room; `off`: not at all. */
  mode: 'off' | 'roundRobin';
  /** So many open threads an operator has at most when they are given another. */
  maxOpenThreads: number;
}

export interface Project {
  /** The project. */
  projectId: string;
  /** The workspace. */
  workspaceId: string;
  /** A name for people to read. */
  name: string;
  /** When it was created. */
  createdAt: string;
  /** When it last changed. */
  updatedAt: string;
  /** When it was archived; null: not archived. */
  archivedAt?: string | null;
  /** How threads that wait are assigned by themselves. */
  assignment?: ProjectAssignment;
}

export interface CreateProjectBody {
  /** The workspace. */
  workspaceId: string;
  /** A name for people to read. */
  name: string;
}

export interface AssignmentInput {
  /** `roundRobin`: in turn to operators who are online and have room; `off`: not at all. */
  mode?: 'off' | 'roundRobin' | undefined;
  /** So many open threads an operator has at most when they are given another. */
  maxOpenThreads?: number | undefined;
}

export interface UpdateProjectBody {
  /** A name for people to read. */
  name?: string | undefined;
  /** How threads that wait are assigned by themselves; what is absent stays. */
  assignment?: AssignmentInput | undefined;
  /** false: back from the archive. */
  archived?: false | undefined;
}

export interface Environment {
  /** The environment. */
  environmentId: string;
  /** The project. */
  projectId: string;
  /** A name for people to read. */
  name: string;
  kind?: 'sandbox' | 'production';
  /** When it was created. */
  createdAt: string;
  /** When it last changed. */
  updatedAt: string;
}

export interface CreateEnvironmentBody {
  /**
   * The project.
   * @default the client's
   */
  projectId?: string | undefined;
  /** A name for people to read. */
  name: string;
}

export interface UpdateEnvironmentBody {
  /** A name for people to read. */
  name?: string | undefined;
}

export interface CreateInvitationBody {
  email: string;
  /** The role in the workspace after acceptance. Default: admin. */
  studioRole?: 'admin' | 'viewer' | undefined;
  /** The role in the Console of its projects after acceptance. */
  consoleRole?: 'project_owner' | 'agent' | 'viewer' | undefined;
}

export interface UpdateWorkspaceMemberBody {
  /** What the user may do. */
  role: 'owner' | 'admin' | 'viewer';
}

export interface ListedProjectMember {
  /** The project. */
  projectId: string;
  userId: string;
  /** What the user may do. */
  role: 'developer' | 'viewer';
  /** When it was created. */
  createdAt: string;
  /** When it last changed. */
  updatedAt: string;
  /** How others see the user. */
  displayName: string;
  /** The name of a colour; null: the client chooses one. */
  avatarColor: 'gray' | 'red' | 'pink' | 'grape' | 'violet' | 'indigo' | 'blue' | 'cyan' | 'teal' | 'green' | 'lime' | 'yellow' | 'orange' | null;
}

export interface UpsertProjectMemberBody {
  userId: string;
  /** What the user may do. */
  role: 'developer' | 'viewer';
}

export interface CreateApiKeyBody {
  /**
   * The project.
   * @default the client's
   */
  projectId?: string | undefined;
  /** A name for people to read. */
  name: string;
  /** test: the sandbox. live: production. */
  environment: 'test' | 'live';
  /** What the key may do; `*` allows everything that a key can do. */
  scopes: readonly ('threads:read' | 'threads:write' | 'messages:read' | 'messages:write' | 'agents:read' | 'agents:write' | 'agents:run' | 'tools:read' | 'tools:write' | 'tools:execute' | 'channels:read' | 'channels:write' | 'channels:connect' | 'webhooks:read' | 'webhooks:write' | 'usage:read' | 'audit:read' | '*')[];
  /** When it expires; null: never. */
  expiresAt?: string | null | undefined;
}

export interface CreatedApiKey {
  apiKeyId: string;
  /** The project. */
  projectId: string;
  /** A name for people to read. */
  name: string;
  /** test: the sandbox. live: production. */
  environment: 'test' | 'live';
  /** The first characters of the secret, to recognise it by. */
  keyPrefix: string;
  /** What the key may do; `*` allows everything that a key can do. */
  scopes: string[];
  /** When it was created. */
  createdAt: string;
  /** When it expires; null: never. */
  expiresAt?: string | null;
  /** Shown in this answer and never again. */
  secret: string;
}

export interface UpdateApiKeyBody {
  /** A name for people to read. */
  name?: string | undefined;
}

export interface RotateApiKeyBody {
  /** How long the old secret keeps working, in seconds. Default: 300. */
  gracePeriodSeconds?: number | undefined;
}

export interface RotatedApiKey {
  newKey: CreatedApiKey;
  previousKeyId: string;
  rotationGraceExpiresAt?: string | null;
}

export interface PartnerAppCredential {
  /** The partner app. */
  partnerAppCredentialId: string;
  /** The workspace. */
  workspaceId: string;
  /** A name for people to read. */
  name: string;
  appId: string;
  /** The current status. */
  status: 'active' | 'revoked';
  /** Distinguishes secrets without revealing them. */
  keyFingerprint: string;
  /** Your own JSON object, stored as it is. */
  metadata: Record<string, unknown>;
  /** When it was created. */
  createdAt: string;
  /** When it last changed. */
  updatedAt: string;
  /** When it was revoked; null: not revoked. */
  revokedAt?: string | null;
}

export interface CreatePartnerAppBody {
  /** The workspace. */
  workspaceId: string;
  /** A name for people to read. */
  name: string;
  appId: string;
  appSecret: string;
  /** Your own JSON object, stored as it is. */
  metadata?: Readonly<Record<string, unknown>> | undefined;
}

export interface CreatedPartnerAppCredential {
  /** The partner app. */
  partnerAppCredentialId: string;
  /** The workspace. */
  workspaceId: string;
  /** A name for people to read. */
  name: string;
  appId: string;
  /** The current status. */
  status: 'active' | 'revoked';
  /** Distinguishes secrets without revealing them. */
  keyFingerprint: string;
  /** Your own JSON object, stored as it is. */
  metadata: Record<string, unknown>;
  /** When it was created. */
  createdAt: string;
  /** When it last changed. */
  updatedAt: string;
  /** When it was revoked; null: not revoked. */
  revokedAt?: string | null;
  /** For the settings of the app. Shown in this answer and never again. */
  verifyToken: string;
  /** For the settings of the app: where the chat provider posts to, once it names the channel. */
  webhookUrl: string;
}

export interface RotatePartnerAppSecretBody {
  appSecret: string;
}

export interface AuditLog {
  auditLogId: string;
  /** The workspace. */
  workspaceId: string | null;
  /** The project. */
  projectId: string | null;
  /** The environment; null: it belongs to none. */
  environmentId: string | null;
  actor: {
    type: 'user' | 'api_key' | 'system';
    id: string;
  };
  /** One of user.created, user.email_verified, user.password_reset, user.password_changed, user.email_changed, user.second_factor_enabled, user.second_factor_disabled, user.recovery_codes_renewed, user.passkey_added, user.passkey_removed, user.removed, user.login_failed, session.opened, session.closed, session.reuse_detected, single_sign_on.updated, single_sign_on.removed, single_sign_on.used, single_sign_on.domain_added, single_sign_on.domain_proven, single_sign_on.domain_updated, single_sign_on.domain_removed, workspace.created, workspace.updated, workspace.archived, workspace.transferred, project.created, project.updated, project.archived, environment.created, environment.updated, invitation.created, invitation.accepted, invitation.revoked, member.joined, member.role_changed, member.removed, project_member.upserted, project_member.removed, console_member.upserted, console_member.removed, api_key.created, api_key.updated, api_key.rotated, api_key.revoked, partner_app.created, partner_app.secret_rotated, partner_app.revoked, channel.created, channel.updated, channel.status_changed, stitch.created, stitch.updated, stitch.archived, stitch.secret_rotated, stitch.tested, stitch.replayed, stitch.delivery_replayed, stitch.disabled, thread.updated, thread.assigned, thread.personal_data_erased, byok_credential.created, byok_credential.updated, byok_credential.rotated, byok_credential.revoked, tool.created, tool.updated, tool.secret_rotated, tool.tested, loom.created, loom.updated, loom_version.created, loom_version.updated, loom_version.activated, agent.created, agent.updated, agent_run.created, agent_run.cancelled, agent_run.suggestion_resolved, agent_run.tool_call_resolved, budget.updated, canned_reply.created, canned_reply.updated, canned_reply.deleted; more may follow. */
  action: string;
  /** What it was done to. */
  targetId: string | null;
  /** The request that did it; null: none did. */
  requestId: string | null;
  /** The client's IP address; null: there was no request, or a member did it to their own account, which is not of this workspace alone. */
  address: string | null;
  /** What was changed, where there is something to say. */
  details: Record<string, unknown>;
  /** When it was created. */
  createdAt: string;
}

export interface Usage {
  day?: string;
  agentId?: string | null;
  channelId?: string | null;
  /** The name that the provider uses. */
  model?: string;
  /** llm_provider_1 uses the wire format of OpenAI, llm_provider_2 of Anthropic, llm_provider_3 of Google Gemini. */
  provider?: 'llm_provider_1' | 'llm_provider_2' | 'llm_provider_3';
  messagesInbound?: number;
  messagesOutbound?: number;
  deliveries?: number;
  deliveryAttempts?: number;
  agentRuns: number;
  toolCalls: number;
  promptTokens: number;
  completionTokens: number;
  totalTokens: number;
  estimatedCostMicros: number;
}

export interface ModelPrice {
  /** llm_provider_1 uses the wire format of OpenAI, llm_provider_2 of Anthropic, llm_provider_3 of Google Gemini. */
  provider: 'llm_provider_1' | 'llm_provider_2' | 'llm_provider_3';
  /** As the price list has it; of models in use, as the loom has it. */
  model: string;
  /** For a million tokens of input, in millionths of a US dollar; null: the list does not have the model. */
  inputMicros: number | null;
  /** For a million tokens of output. */
  outputMicros: number | null;
  /** For a million tokens of input that the provider has kept from before; null: as other input. */
  cacheReadMicros: number | null;
  /** For a million tokens of input that the provider keeps; null: as other input. */
  cacheWriteMicros: number | null;
  /** Requests with more tokens than this cost the `long` prices; null: all cost the same. */
  longFromTokens: number | null;
  /** The same of long requests; null: as others. */
  longInputMicros: number | null;
  /** The same of long requests; null: as others. */
  longOutputMicros: number | null;
  /** The day of the price list. */
  asOf: string;
  /** Where the provider publishes its prices. */
  source: string | null;
}

export interface BudgetDay {
  day: string;
  spentMicros: number;
  leftMicros: number | null;
  exceededRuns: number;
}

export interface Budgets {
  /** The project. */
  projectId: string;
  /** The environment. */
  environmentId: string;
  /** What one run may cost, in millionths of a US dollar; null: no limit. */
  perRunMicros: number | null;
  /** What all runs of one thread may cost together, in millionths of a US dollar; null: no limit. */
  perThreadMicros: number | null;
  /** What the runs of one day (UTC) may cost together, in millionths of a US dollar; null: no limit. */
  perProjectDayMicros: number | null;
  /** The mode that a thread changes to when a budget is exceeded. */
  onExceeded: 'suggest' | 'paused';
  /** When it last changed. */
  updatedAt: string | null;
  today: BudgetDay;
}

export interface SetBudgetsBody {
  /**
   * The project.
   * @default the client's
   */
  projectId?: string | undefined;
  /**
   * The environment: an API key's own; the project's sandbox for Studio users who name none.
   * @default the client's
   */
  environmentId?: string | undefined;
  /** What one run may cost, in millionths of a US dollar; null: no limit. */
  perRunMicros?: number | null | undefined;
  /** What all runs of one thread may cost together, in millionths of a US dollar; null: no limit. */
  perThreadMicros?: number | null | undefined;
  /** What the runs of one day (UTC) may cost together, in millionths of a US dollar; null: no limit. */
  perProjectDayMicros?: number | null | undefined;
  /** The mode that a thread changes to when a budget is exceeded. */
  onExceeded: 'suggest' | 'paused';
}

export interface CreateChannelBody {
  /**
   * The project. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  projectId?: string | undefined;
  /**
   * The environment. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  environmentId?: string | undefined;
  /** A name for people to read. */
  name: string;
  kind: 'sandbox' | 'custom' | 'chatapp';
  /** Your own JSON object, stored as it is. */
  metadata?: Readonly<Record<string, unknown>> | undefined;
}

export interface UpdateChannelBody {
  /**
   * The project. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  projectId?: string | undefined;
  /** A name for people to read. */
  name?: string | undefined;
  /** The agent of threads that have no agent of their own. */
  defaultAgentId?: string | null | undefined;
  /** Your own JSON object. Merged into what is there; null removes a name (RFC 7396). */
  metadata?: Readonly<Record<string, unknown>> | undefined;
}

export interface ChatappFailure {
  /** The step of connecting that failed; null: the channel was connected. */
  step: 'exchange_code' | 'inspect_token' | 'find_account' | 'find_number' | 'subscribe_app' | 'register_number' | 'install_callback' | 'interrupted' | null;
  /** The chat provider's error code; null: it gave none. */
  code: number | null;
  /** What happened, in words. */
  message: string;
}

export interface ChannelChange {
  channelId: string;
  /** The event that tells the same. Events are kept for 30 days. */
  eventId: string;
  /** What happened. */
  eventName: 'channel.lifecycle.created' | 'channel.status.changed' | 'channel.credential.expiring' | 'channel.credential.expired' | 'channel.credential.renewed';
  /** The status from then on. */
  status: 'disconnected' | 'connecting' | 'connected' | 'error';
  /** The status before; null: it stayed as it was. */
  previousStatus: 'disconnected' | 'connecting' | 'connected' | 'error' | null;
  /** Why the channel is in error; null: it is not. */
  error: ChatappFailure | null;
  /** When the access token expires, as it was known then; null: never, or there is none. */
  tokenExpiresAt: string | null;
  /** Who did it; `system`: nobody has asked for it. */
  actor: Actor;
  /** When it happened. */
  occurredAt: string;
}

export interface ChannelCommand {
  /** The event. Deduplicate by it. */
  eventId: string;
  /** Three dotted words: `thread.message.received`. */
  eventName: string;
  /** When it happened. */
  occurredAt: string;
  /** The project. */
  projectId: string;
  channelId: string;
  /** What the channel has to do. */
  data: Record<string, unknown>;
}

export interface ParticipantInput {
  /** The name that the participant goes by. */
  displayName?: string | null | undefined;
  /** A language, and a region if there is one (BCP 47): `pt-BR`. */
  locale?: string | null | undefined;
  /** Replaces those that are known. */
  attributes?: {
    picture?: string | null | undefined;
  } | undefined;
}

export interface AttachmentInput {
  kind: 'image' | 'audio' | 'video' | 'document' | 'sticker';
  attachmentId?: string | undefined;
  mimeType?: string | undefined;
  filename?: string | undefined;
  sizeBytes?: number | undefined;
  storageKey?: string | undefined;
  url?: string | undefined;
  providerMediaId?: string | undefined;
  /** Your own JSON object, stored as it is. */
  metadata?: Readonly<Record<string, unknown>> | undefined;
}

export interface InboundMessageBody {
  /**
   * The project. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  projectId?: string | undefined;
  body: string;
  threadId?: string | undefined;
  /** Your name for the conversation. */
  externalThreadRef?: string | undefined;
  /** Your name for the participant. */
  externalParticipantRef?: string | undefined;
  /** What is known of the participant now. Fields that are absent stay. */
  participant?: ParticipantInput | undefined;
  /** At most ten files. */
  attachments?: readonly AttachmentInput[] | undefined;
  /** Your own JSON object, stored as it is. */
  metadata?: Readonly<Record<string, unknown>> | undefined;
}

export interface MessageFailure {
  /** The channel's code for it. */
  code?: string | undefined;
  /** What happened, in words. */
  message?: string | undefined;
}

export interface ReceiptBody {
  /**
   * The project. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  projectId?: string | undefined;
  messageId?: string | undefined;
  /** The channel provider's id of the message. */
  externalMessageId?: string | undefined;
  /** What became of the message. */
  status: 'sent' | 'delivered' | 'read' | 'failed';
  /** When it happened. */
  occurredAt: string;
  /** Why it failed. */
  error?: MessageFailure | undefined;
}

export interface SimulateBody {
  /**
   * The project. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  projectId?: string | undefined;
  event: 'inbound' | 'delivered' | 'read' | 'failed' | 'window_expired';
  threadId?: string | undefined;
  /** Your name for the participant. */
  externalParticipantRef?: string | undefined;
  messageId?: string | undefined;
  body?: string | undefined;
  /** At most ten files. */
  attachments?: readonly AttachmentInput[] | undefined;
  /** Your own JSON object, stored as it is. */
  metadata?: Readonly<Record<string, unknown>> | undefined;
  /** Why it failed. */
  error?: MessageFailure | undefined;
}

export interface Simulated {
  accepted: true;
  threadId?: string;
  messageId?: string;
}

export interface ConnectChatappBody {
  /**
   * The project. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  projectId?: string | undefined;
  /** From the embedded sign-up. Lives 30 seconds, and works once. */
  code?: string | undefined;
  /** The app's token for the business account. Never shown. */
  accessToken?: string | undefined;
  /** The partner app; none: the service's own app. */
  partnerAppCredentialId?: string | undefined;
  /** Of the dialog that gave the code, if it had one: the very same. */
  redirectUri?: string | undefined;
  /** The chat provider's id of the phone number. */
  phoneNumberId?: string | undefined;
  /** The business account at the chat provider. */
  wabaId?: string | undefined;
  /** Of two-step verification, where the number has one. Six digits. */
  pin?: string | undefined;
}

export interface ChatappStatus {
  channelId: string;
  /** The project. */
  projectId: string;
  /** The environment. */
  environmentId: string;
  /** The current status. */
  status: 'disconnected' | 'connecting' | 'connected' | 'error';
  /** The business account at the chat provider. */
  wabaId: string | null;
  /** The chat provider's id of the phone number. */
  phoneNumberId: string | null;
  /** The phone number as the chat provider writes it. */
  displayPhoneNumber: string | null;
  /** The name that participants see. */
  verifiedName: string | null;
  /** The partner app; none: the service's own app. */
  partnerAppCredentialId: string | null;
  /** When the access token expires; null: never, or the channel is not connected. */
  tokenExpiresAt: string | null;
  /** When the channel was connected; null: it is not. */
  connectedAt: string | null;
  /** Why the channel is in error; null: it is not. */
  error: ChatappFailure | null;
  /** Where the chat provider posts the number's events to. */
  webhookUrl: string;
}

export interface DisconnectChatappBody {
  /**
   * The project. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  projectId?: string | undefined;
}

export interface ChatappReadiness {
  channelId: string;
  /** The project. */
  projectId: string;
  /** Whether every check is. */
  ok: boolean;
  checks: {
    id: string;
    /** What is checked, for people. */
    label: string;
    ok: boolean;
    /** Why it failed, or what to look at. */
    reason?: string;
  }[];
}

export interface SendTemplateBody {
  /**
   * The project. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  projectId?: string | undefined;
  threadId: string;
  /** Of a template of the business account. */
  templateName: string;
  /** The provider's code of the template's language. */
  language: string;
  /** The number of the thread's participant, in any notation. May be left out. */
  to?: string | undefined;
  /** What fills the parameters, as the chat provider defines it. */
  components?: readonly (Readonly<Record<string, unknown>>)[] | undefined;
  /** Your own JSON object, stored as it is. */
  metadata?: Readonly<Record<string, unknown>> | undefined;
}

export interface CreateThreadBody {
  /**
   * The project. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  projectId?: string | undefined;
  /**
   * The environment. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  environmentId?: string | undefined;
  channelId?: string | undefined;
  /** Your name for the participant. A channel has one thread for each. */
  externalRef?: string | undefined;
  subject?: string | undefined;
  /** Your own JSON object, stored as it is. */
  metadata?: Readonly<Record<string, unknown>> | undefined;
}

export interface UpdateThreadBody {
  /**
   * The project. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  projectId?: string | undefined;
  /** The new status. */
  status?: 'open' | 'closed' | 'archived' | undefined;
  /** auto: agents answer by themselves. suggest: people approve first. paused: agents do not answer. null: the mode of the agent. */
  agentMode?: 'auto' | 'suggest' | 'paused' | null | undefined;
  /** false: back from the archive. */
  archived?: false | undefined;
  /** Your own labels, to find threads by. */
  tags?: readonly string[] | undefined;
  /** Your own fields, with scalar values. Merged into what is there; null removes a name (RFC 7396). */
  customFields?: Readonly<Record<string, string | number | boolean | null>> | undefined;
  /** Your own JSON object. Merged into what is there; null removes a name (RFC 7396). */
  metadata?: Readonly<Record<string, unknown>> | undefined;
  /** The agent of the thread; null: that of its channel. */
  agentId?: string | null | undefined;
  participant?: ParticipantInput | undefined;
  subject?: string | null | undefined;
  /** An instant in the future, at most a year ahead, for an open thread; null wakes it. */
  snoozedUntil?: string | null | undefined;
  /** The thread's last number that you have seen: a conflict when the participant has written since. Then nothing is changed. */
  expectedSequence?: number | undefined;
}

export interface AssignThreadBody {
  /**
   * The project. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  projectId?: string | undefined;
  userId: string | null;
}

export interface BulkBody {
  /**
   * The project. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  projectId?: string | undefined;
  /**
   * The environment.
   * @default the client's
   */
  environmentId?: string | undefined;
  /** Which ones, each once. */
  threadIds: readonly string[];
  /** What is done to each. */
  action: 'close' | 'reopen' | 'archive' | 'addTags' | 'removeTags' | 'assign' | 'setAgentMode' | 'snooze';
  /** For `addTags` and `removeTags`. */
  tags?: readonly string[] | undefined;
  /** For `assign`; null releases. */
  userId?: string | null | undefined;
  /** For `setAgentMode`; null: that of the agent. */
  agentMode?: 'auto' | 'suggest' | 'paused' | null | undefined;
  snoozedUntil?: string | null | undefined;
  /** By thread, the thread's last number that you have seen: a thread whose participant has written since stays as it was, with a conflict as its result. Those that are not named are changed in any case. Not for `assign`. */
  expectedSequences?: Readonly<Record<string, number>> | undefined;
}

export interface BulkError {
  /** The code, as of the operation for one thread. */
  error: string;
  /** For people. */
  message: string;
  /** What to correct, if anything. */
  details?: Record<string, unknown>;
}

export interface BulkResult {
  /** The thread. */
  threadId: string;
  /** `done`, also where nothing was to change; `failed`: it stayed as it was. */
  status: 'done' | 'failed';
  /** Why it failed. */
  error: BulkError | null;
}

export interface BulkResults {
  /** One for each thread, in the order of the request. */
  results: BulkResult[];
}

export interface CreateNoteBody {
  /**
   * The project. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  projectId?: string | undefined;
  body: string;
  mentions?: readonly string[] | undefined;
}

export interface UpdateNoteBody {
  /**
   * The project. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  projectId?: string | undefined;
  body: string;
  mentions?: readonly string[] | undefined;
}

export interface Mention {
  note: ThreadNote;
  /** The environment. */
  environmentId: string;
  participantName: string | null;
  mentionedAt: string;
  readAt: string | null;
}

export interface ReadMentionsBody {
  /**
   * The environment.
   * @default the client's
   */
  environmentId?: string | undefined;
  threadId?: string | undefined;
}

export interface QueueCount {
  count: number;
  more: boolean;
}

export interface UnreadMentions {
  /** The project. */
  projectId: string;
  /** The environment. */
  environmentId: string;
  unread: QueueCount;
}

export interface CannedReply {
  cannedReplyId: string;
  /** The project. */
  projectId: string;
  /** What an operator types for it: `/thanks`. Unique in the project. */
  shortcut: string;
  /** For people. */
  title: string;
  /** The text, with placeholders that clients fill in. */
  body: string;
  /** Who made it. */
  createdByUserId: string | null;
  /** Who changed it last. */
  updatedByUserId: string | null;
  /** When it was created. */
  createdAt: string;
  /** When it last changed. */
  updatedAt: string;
}

export interface CreateCannedReplyBody {
  /**
   * The project.
   * @default the client's
   */
  projectId?: string | undefined;
  /** What an operator types for it: `/thanks`. Unique in the project. */
  shortcut: string;
  /** For people. */
  title: string;
  /** The text, with placeholders that clients fill in. */
  body: string;
}

export interface UpdateCannedReplyBody {
  /**
   * The project.
   * @default the client's
   */
  projectId?: string | undefined;
  /** What an operator types for it: `/thanks`. Unique in the project. */
  shortcut?: string | undefined;
  /** For people. */
  title?: string | undefined;
  /** The text, with placeholders that clients fill in. */
  body?: string | undefined;
}

export interface TypingBody {
  /**
   * The project. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  projectId?: string | undefined;
  state: 'started' | 'stopped';
}

export interface ReadCursorBody {
  /**
   * The project. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  projectId?: string | undefined;
  /** The number in the thread up to which everything has been read. */
  sequence: number;
}

export interface ReadCursor {
  threadId: string;
  /** The project. */
  projectId: string;
  userId: string;
  /** The number in the thread up to which everything has been read. */
  sequence: number;
  /** When it last changed. */
  updatedAt: string;
}

export interface PersonalDataRecord {
  /** Which of the following fields is there. */
  kind: 'thread' | 'message' | 'note' | 'agentRun';
  /** The thread with its participant, tags and custom fields. */
  thread?: Thread;
  /** What the participant wrote, or was written. */
  message?: Message;
  /** What operators wrote to each other. */
  note?: ThreadNote;
  /** What an agent did on the thread. */
  agentRun?: AgentRun;
}

export interface PersonalDataErasure {
  threadId: string;
  requestedAt: string;
}

export interface TimelineEvent {
  /** The event. */
  eventId: string;
  /** Three dotted words: `thread.message.received`. */
  eventName: string;
  /** When it happened. */
  occurredAt: string;
  /** Number of the event in its thread, from 1, without gaps. */
  sequence: number | null;
  actor?: Actor;
  /** When it happened, by the provider. */
  reportedAt?: string;
  error?: unknown;
  agentRunId?: string;
  toolId?: string;
  durationMs?: number;
}

export interface TimelineDelivery {
  deliveryId: string;
  /** The project. */
  projectId: string;
  stitchId?: string | null;
  /** The event. */
  eventId?: string | null;
  /** The current status. */
  status: 'pending' | 'delivering' | 'delivered' | 'retrying' | 'failed' | 'cancelled';
  attemptCount: number;
  responseStatus?: number | null;
  lastError?: string | null;
  lastAttemptAt?: string | null;
  nextAttemptAt?: string | null;
  /** When it was created. */
  createdAt: string;
  /** When it last changed. */
  updatedAt: string;
  /** The environment. */
  environmentId?: string;
  /** Three dotted words: `thread.message.received`. */
  eventName?: string;
  trigger?: 'scheduled' | 'manual' | 'replay' | 'test';
  threadId?: string | null;
  /** What the stitch is called; null: that is not known any more. */
  stitchName: string | null;
}

export interface MessageTimeline {
  messageId: string;
  threadId: string;
  /** The project. */
  projectId: string;
  /** The environment. */
  environmentId: string;
  /** The channel provider's id of the message. */
  externalMessageId: string | null;
  events: TimelineEvent[];
  runs: AgentRun[];
  toolCalls: TimelineEvent[];
  deliveries: TimelineDelivery[];
}

export interface TextContentInput {
  type: 'text';
  /** Whether the first address in the text is shown with a preview. Default: false. */
  preview?: boolean | undefined;
}

export interface MediaContentInput {
  type: 'media';
  kind: 'image' | 'audio' | 'video' | 'document' | 'sticker';
  /** The text below the file. */
  caption?: string | null | undefined;
}

export interface LocationContentInput {
  type: 'location';
  latitude: number;
  longitude: number;
  /** What the place is called. */
  name?: string | null | undefined;
  /** Where it is, in words. */
  address?: string | null | undefined;
}

export interface ContactsContentInput {
  type: 'contacts';
  contacts: readonly {
    /** The contact's name. */
    name: string;
    phones: readonly {
      phone: string;
      type?: string | null | undefined;
    }[];
    organization?: string | null | undefined;
  }[];
}

export interface ReactionContentInput {
  type: 'reaction';
  /** The reaction; null: it was taken back. */
  emoji: string | null;
  messageId: string;
}

export type MessageContentInput = 
  | TextContentInput
  | MediaContentInput
  | LocationContentInput
  | ContactsContentInput
  | ReactionContentInput;

export interface CreateMessageBody {
  /**
   * The project. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  projectId?: string | undefined;
  body?: string | undefined;
  /** What the message holds beside its text. Absent: a plain text. */
  content?: MessageContentInput | undefined;
  /** The message of the thread that this one answers. */
  replyTo?: {
    messageId: string;
  } | undefined;
  /** inbound: from the participant. outbound: to the participant. Default: outbound. */
  direction?: 'inbound' | 'outbound' | undefined;
  /** At most ten files. */
  attachments?: readonly AttachmentInput[] | undefined;
  /** Your own JSON object, stored as it is. */
  metadata?: Readonly<Record<string, unknown>> | undefined;
}

export interface MessageDryRun {
  allowed: boolean;
  /** The code of the error that the message would cause; null: none. */
  reason: string | null;
  /** The same in words. */
  message?: string | null;
  /** How many code points a text may have on the thread's channel. */
  maxTextLength?: number;
  /** The channel that the message would leave over; null: the thread has none, so the message would be kept and reach nobody. */
  channelId?: string | null;
  /** Whether free-form messages may be sent now, and until when. */
  serviceWindow: ServiceWindow | null;
}

export interface CreateAttachmentBody {
  /**
   * The project. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  projectId?: string | undefined;
  /**
   * The environment: an API key's own; the project's sandbox for Studio users who name none.
   * @default the client's
   */
  environmentId?: string | undefined;
  filename: string;
  mimeType: string;
  sizeBytes: number;
}

export interface AttachmentUpload {
  attachmentId: string;
  uploadUrl: string;
  /** When it expires. */
  expiresAt: string;
}

export interface AttachmentLink {
  attachmentId: string;
  url: string;
  /** When it expires. */
  expiresAt: string;
}

export interface CreateByokCredentialBody {
  /**
   * The project.
   * @default the client's
   */
  projectId?: string | undefined;
  /**
   * The environment: an API key's own; the project's sandbox for Studio users who name none.
   * @default the client's
   */
  environmentId?: string | undefined;
  /** llm_provider_1 uses the wire format of OpenAI, llm_provider_2 of Anthropic, llm_provider_3 of Google Gemini. */
  provider: 'llm_provider_1' | 'llm_provider_2' | 'llm_provider_3';
  displayName: string;
  /** The key, as the LLM provider gave it. Never shown. */
  secret: string;
  /** Models that the key may be used for; none: all. */
  modelAllowlist?: readonly string[] | undefined;
  /** Your own JSON object, stored as it is. */
  metadata?: Readonly<Record<string, unknown>> | undefined;
}

export interface UpdateByokCredentialBody {
  displayName?: string | undefined;
  /** Models that the key may be used for; none: all. */
  modelAllowlist?: readonly string[] | undefined;
  /** Your own JSON object. Merged into what is there; null removes a name (RFC 7396). */
  metadata?: Readonly<Record<string, unknown>> | undefined;
}

export interface RotateByokCredentialBody {
  /** The new key. Never shown. */
  secret: string;
  /** How long the old secret keeps working, in seconds. Default: 300. */
  gracePeriodSeconds?: number | undefined;
}

export interface CreateToolBody {
  /**
   * The project. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  projectId?: string | undefined;
  /**
   * The environment: an API key's own; the project's sandbox for Studio users who name none.
   * @default the client's
   */
  environmentId?: string | undefined;
  /** A name for people, and for the model. */
  name: string;
  url: string;
  /** Default: POST. */
  method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE' | undefined;
  /** How long one attempt may take, in milliseconds. Default: 5000. */
  timeoutMs?: number | undefined;
  /** Attempts in all, each with the same `Idempotency-Key`. Default: 1. */
  retryMaxAttempts?: number | undefined;
  /** The wait before the second attempt, in milliseconds; twice as long before each further one. Default: 250. */
  retryBackoffMs?: number | undefined;
  /** Whether each call that a model wants waits until a person approves it. Default: false. */
  requiresApproval?: boolean | undefined;
  /** Sent with every request to the tool. Values are shown as `[redacted]`; a value that you send back so stays unchanged. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Your own JSON object, stored as it is. */
  metadata?: Readonly<Record<string, unknown>> | undefined;
  /** Tells the model what the tool is for. */
  description?: string | null | undefined;
  /** The arguments that the model passes: a JSON Schema of type object, at most 32 KiB, without external references. */
  inputSchema?: Readonly<Record<string, unknown>> | null | undefined;
}

export interface CreatedTool {
  toolId: string;
  /** The project. */
  projectId: string;
  /** A name for people, and for the model. */
  name: string;
  url: string | null;
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Sent with every request to the tool. Values are shown as `[redacted]`; a value that you send back so stays unchanged. */
  headers: Record<string, unknown>;
  /** How long one attempt may take, in milliseconds. */
  timeoutMs: number;
  /** Attempts in all, each with the same `Idempotency-Key`. */
  retryMaxAttempts: number;
  /** The wait before the second attempt, in milliseconds; twice as long before each further one. */
  retryBackoffMs: number;
  /** The current status. */
  status: 'active' | 'disabled' | 'error';
  /** Your own JSON object, stored as it is. */
  metadata: Record<string, unknown>;
  /** When it was created. */
  createdAt: string;
  /** When it last changed. */
  updatedAt: string;
  /** The environment. */
  environmentId?: string;
  /** Tells the model what the tool is for. */
  description?: string | null;
  /** The arguments that the model passes: a JSON Schema of type object, at most 32 KiB, without external references. */
  inputSchema?: Record<string, unknown> | null;
  /** Whether each call that a model wants waits until a person approves it. */
  requiresApproval?: boolean;
  /** The key of `Service-Signature`. Shown in this answer and never again. */
  signingSecret: string;
}

export interface UpdateToolBody {
  /**
   * The project. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  projectId?: string | undefined;
  /** A name for people, and for the model. */
  name?: string | undefined;
  url?: string | undefined;
  method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE' | undefined;
  /** How long one attempt may take, in milliseconds. */
  timeoutMs?: number | undefined;
  /** Attempts in all, each with the same `Idempotency-Key`. */
  retryMaxAttempts?: number | undefined;
  /** The wait before the second attempt, in milliseconds; twice as long before each further one. */
  retryBackoffMs?: number | undefined;
  /** Whether each call that a model wants waits until a person approves it. */
  requiresApproval?: boolean | undefined;
  /** The new status. */
  status?: 'active' | 'disabled' | undefined;
  /** Sent with every request to the tool. Values are shown as `[redacted]`; a value that you send back so stays unchanged. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Your own JSON object. Merged into what is there; null removes a name (RFC 7396). */
  metadata?: Readonly<Record<string, unknown>> | undefined;
  /** Tells the model what the tool is for. */
  description?: string | null | undefined;
  /** The arguments that the model passes: a JSON Schema of type object, at most 32 KiB, without external references. */
  inputSchema?: Readonly<Record<string, unknown>> | null | undefined;
}

export interface RotateToolSecretBody {
  /**
   * The project. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  projectId?: string | undefined;
  /** How long the old secret keeps working, in seconds. Default: 86400. */
  gracePeriodSeconds?: number | undefined;
}

export interface TestToolBody {
  /**
   * The project. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  projectId?: string | undefined;
  arguments?: Readonly<Record<string, unknown>> | undefined;
}

export interface ToolTest {
  /** What became of the call. */
  status: 'succeeded' | 'failed';
  /** The status of the answer; null: there was none. */
  httpStatus: number | null;
  durationMs: number;
  /** What a model would be told, with secrets redacted. */
  result: unknown;
  /** Why it failed, in words; null: it did not. */
  error: string | null;
}

export interface Loom {
  loomId: string;
  /** The project. */
  projectId: string;
  /** A name for people to read. */
  name: string;
  /** The current status. */
  status: 'active' | 'archived';
  /** The version that new runs use. */
  activeVersionId?: string | null;
  /** Your own JSON object, stored as it is. */
  metadata: Record<string, unknown>;
  /** When it was created. */
  createdAt: string;
  /** When it last changed. */
  updatedAt: string;
  /** When it was archived; null: not archived. */
  archivedAt?: string | null;
  /** The environment. */
  environmentId?: string;
}

export interface CreateLoomBody {
  /**
   * The project. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  projectId?: string | undefined;
  /**
   * The environment: an API key's own; the project's sandbox for Studio users who name none.
   * @default the client's
   */
  environmentId?: string | undefined;
  /** A name for people to read. */
  name: string;
  systemPrompt: string;
  /** llm_provider_1 uses the wire format of OpenAI, llm_provider_2 of Anthropic, llm_provider_3 of Google Gemini. */
  provider: 'llm_provider_1' | 'llm_provider_2' | 'llm_provider_3';
  /** The name that the provider uses. */
  model: string;
  /** Instructions for the model, in addition to the prompt. */
  rules?: readonly string[] | undefined;
  /** The LLM provider key; null: the newest active one of the provider. */
  byokCredentialId?: string | null | undefined;
  /** auto: answers by itself. suggest: people approve first. paused: does not answer. */
  mode?: 'auto' | 'suggest' | 'paused' | null | undefined;
  temperature?: number | null | undefined;
  maxTokens?: number | null | undefined;
  /** The tools that the model may call. */
  toolIds?: readonly string[] | undefined;
  /** Your own JSON object, stored as it is. */
  metadata?: Readonly<Record<string, unknown>> | undefined;
}

export interface UpdateLoomBody {
  /**
   * The project. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  projectId?: string | undefined;
  /** A name for people to read. */
  name?: string | undefined;
  /** The new status. */
  status?: 'active' | 'archived' | undefined;
  /** false: back from the archive. */
  archived?: false | undefined;
  /** Your own JSON object. Merged into what is there; null removes a name (RFC 7396). */
  metadata?: Readonly<Record<string, unknown>> | undefined;
}

export interface ActivateLoomVersionBody {
  /**
   * The project. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  projectId?: string | undefined;
  loomVersionId: string;
  /** Why it is activated: kept in the history. */
  reason?: string | undefined;
  /** The version that you take for the active one: a conflict where it is another by now. */
  expectedActiveVersionId?: string | undefined;
}

export interface LoomActivation {
  loomId: string;
  /** From 1 in each loom, without gaps. */
  number: number;
  loomVersionId: string;
  /** The number of the version that became active. */
  version: number;
  /** The version that was active before; null: none was. */
  previousVersionId: string | null;
  /** The number of the version that was active before; null: none was. */
  previousVersion: number | null;
  /** Who activated it. */
  actor: Actor;
  /** Why, if that was said. */
  reason: string | null;
  /** When it became active. */
  createdAt: string;
}

export interface CreateLoomVersionBody {
  /**
   * The project. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  projectId?: string | undefined;
  systemPrompt: string;
  /** llm_provider_1 uses the wire format of OpenAI, llm_provider_2 of Anthropic, llm_provider_3 of Google Gemini. */
  provider: 'llm_provider_1' | 'llm_provider_2' | 'llm_provider_3';
  /** The name that the provider uses. */
  model: string;
  /** Instructions for the model, in addition to the prompt. */
  rules?: readonly string[] | undefined;
  /** The LLM provider key; null: the newest active one of the provider. */
  byokCredentialId?: string | null | undefined;
  /** auto: answers by itself. suggest: people approve first. paused: does not answer. */
  mode?: 'auto' | 'suggest' | 'paused' | null | undefined;
  temperature?: number | null | undefined;
  maxTokens?: number | null | undefined;
  /** The tools that the model may call. */
  toolIds?: readonly string[] | undefined;
  /** Your own JSON object, stored as it is. */
  metadata?: Readonly<Record<string, unknown>> | undefined;
  /** Whether it becomes the active version at once. Default: true. */
  activate?: boolean | undefined;
  /** Why it is activated: kept in the history. */
  reason?: string | undefined;
}

export interface UpdateLoomVersionBody {
  /**
   * The project. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  projectId?: string | undefined;
  /** The new status. */
  status?: 'published' | 'archived' | undefined;
  /** false: back from the archive. */
  archived?: false | undefined;
}

export interface TrialMessage {
  /** inbound: from the participant. outbound: to the participant. */
  direction: 'inbound' | 'outbound';
  /** The text. */
  body: string;
}

export interface TrialToolResult {
  /** The tool. */
  toolId: string;
  /** Of calls with exactly these arguments. Absent: of all calls. */
  arguments?: unknown | undefined;
  /** What the model is told. */
  result?: unknown | undefined;
  /** The call fails, and the model is told this. */
  error?: string | undefined;
}

export interface TryLoomBody {
  /**
   * The project. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  projectId?: string | undefined;
  /** The version to try. Default: the active one. */
  loomVersionId?: string | undefined;
  /** A thread whose messages come first. */
  threadId?: string | undefined;
  /** The last message of the thread that counts. Default: its newest. */
  inputMessageId?: string | undefined;
  /** What is said, after the messages of the thread if there is one; oldest first. Needed without a thread. */
  messages?: readonly TrialMessage[] | undefined;
  /** Results for calls that no run of the thread has made. */
  toolResults?: readonly TrialToolResult[] | undefined;
  /** How long the trial takes at most, in milliseconds. Default: 25000. */
  timeoutMs?: number | undefined;
}

export interface TrialCall {
  /** The tool's name for the model. */
  name: string;
  /** The tool; null: there is none of that name, or it is built in. */
  toolId: string | null;
  /** As the model wrote them; parsed if they are JSON. */
  arguments: unknown;
  /** Where the result is from. recorded: a run of the thread has made the same call. given: `toolResults`. none: nowhere, and the model was told so. refused: a run would not make the call. */
  stub: 'recorded' | 'given' | 'none' | 'refused';
  /** The run whose trace has the result; absent: none has. */
  agentRunId?: string;
  /** Whether a run would ask a person first. */
  requiresApproval: boolean;
  /** What the model was told. */
  result: unknown;
  /** What the model was told of a call that fails; null: it does not. */
  error: string | null;
}

export interface TrialStep {
  /** From 1. */
  step: number;
  startedAt: string;
  durationMs: number;
  /** The characters of everything that was sent to the model. */
  promptCharacters: number;
  promptTokens: number | null;
  completionTokens: number | null;
  costMicros: number | null;
  /** Why the model stopped: stop, length, tool-calls, content-filter or other. */
  finishReason: string;
  /** What the model wrote. */
  output: string;
  toolCalls: TrialCall[];
}

export interface LoomTrial {
  /** The project. */
  projectId: string;
  /** The environment. */
  environmentId: string;
  loomId: string;
  loomVersionId: string;
  /** The number of the version. */
  version: number;
  /** The thread whose messages came first; null: none. */
  threadId: string | null;
  /** llm_provider_1 uses the wire format of OpenAI, llm_provider_2 of Anthropic, llm_provider_3 of Google Gemini. */
  provider: 'llm_provider_1' | 'llm_provider_2' | 'llm_provider_3';
  /** The name that the provider uses. */
  model: string;
  /** succeeded: the model has answered. failed: `errorCode` says why, as of a run. */
  status: 'succeeded' | 'failed';
  /** What would be sent or suggested; null: the trial has failed. */
  text: string | null;
  /** The model asked for a person. */
  handoff?: {
    reason: string;
  };
  /** Each answer of the model. */
  steps: TrialStep[];
  promptTokens: number | null;
  completionTokens: number | null;
  totalTokens: number | null;
  estimatedCostMicros: number | null;
  errorCode: string | null;
  errorMessage: string | null;
  /** When it began. */
  startedAt: string;
  /** How long it took, in milliseconds. */
  durationMs: number;
}

export interface CreateAgentBody {
  /**
   * The project. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  projectId?: string | undefined;
  /**
   * The environment: an API key's own; the project's sandbox for Studio users who name none.
   * @default the client's
   */
  environmentId?: string | undefined;
  /** A name for people to read. */
  name: string;
  /** auto: answers by itself. suggest: people approve first. paused: does not answer. */
  mode?: 'auto' | 'suggest' | 'paused' | null | undefined;
  loomId?: string | null | undefined;
  /** Your own JSON object, stored as it is. */
  metadata?: Readonly<Record<string, unknown>> | undefined;
}

export interface AgentSplitInput {
  /** A published version of the loom that is not the active one. */
  loomVersionId: string;
  /** How many of a hundred threads. */
  percent: number;
}

export interface UpdateAgentBody {
  /**
   * The project. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  projectId?: string | undefined;
  /** A name for people to read. */
  name?: string | undefined;
  /** auto: answers by itself. suggest: people approve first. paused: does not answer. */
  mode?: 'auto' | 'suggest' | 'paused' | null | undefined;
  loomId?: string | null | undefined;
  /** Some threads are answered by another version than the active one; null: none. */
  split?: AgentSplitInput | null | undefined;
  /** Your own JSON object. Merged into what is there; null removes a name (RFC 7396). */
  metadata?: Readonly<Record<string, unknown>> | undefined;
  /** true: into the archive, as DELETE does. false: back from it. */
  archived?: boolean | undefined;
}

export interface SuggestionFates {
  loomId: string;
  loomVersionId: string;
  /** The number of the version. */
  version: number;
  /** Suggestions that wait. */
  pending: number;
  /** Suggestions that were sent as they were. */
  approved: number;
  /** Suggestions that were sent with another text. */
  edited: number;
  /** Suggestions that people did not send. */
  discarded: number;
  /** Suggestions that something newer has overtaken. */
  superseded: number;
  /** Suggestions that nobody resolved within a day. */
  expired: number;
}

export interface AgentSuggestions {
  agentId: string;
  /** Of runs that began then or later. */
  since: string;
  /** Those that have made suggestions, the newest first. */
  versions: SuggestionFates[];
}

export interface CreateAgentRunBody {
  /**
   * The project. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  projectId?: string | undefined;
  threadId?: string | undefined;
  inputMessageId?: string | undefined;
  /** Your own JSON object, stored as it is. */
  metadata?: Readonly<Record<string, unknown>> | undefined;
}

export interface CancelAgentRunBody {
  /**
   * The project. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  projectId?: string | undefined;
}

export interface ResolveSuggestionBody {
  /**
   * The project. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  projectId?: string | undefined;
  /** approve: it is sent. discard: it is not. */
  action: 'approve' | 'discard';
  /** What is sent instead of the suggested text. */
  body?: string | undefined;
  /** Why it is discarded: kept with the suggestion. For `discard` alone. */
  reason?: string | undefined;
  /** The thread's last number that the operator has seen: a conflict when anything but the suggestion itself happened since. */
  expectedSequence?: number | undefined;
}

export interface ResolveToolCallBody {
  /**
   * The project. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  projectId?: string | undefined;
  /** The `callId` of a call in `trace.steps` whose status is `awaiting_approval`. */
  toolCallId: string;
  /** approve: it is called. refuse: the model is told that it is not. */
  action: 'approve' | 'refuse';
  /** Why it is refused: the model is told. */
  reason?: string | undefined;
}

export interface CreateStitchBody {
  /**
   * The project. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  projectId?: string | undefined;
  /**
   * The environment: an API key's own; the project's sandbox for Studio users who name none.
   * @default the client's
   */
  environmentId?: string | undefined;
  /** A name for people to read. */
  name: string;
  /** Where events are posted to. Production requires https. */
  webhookUrl: string;
  /** Names and patterns (`thread.*`); none: all events. */
  eventNames?: readonly string[] | undefined;
  /** Your own JSON object, stored as it is. */
  metadata?: Readonly<Record<string, unknown>> | undefined;
}

export interface StitchWithSecret {
  stitch: Stitch;
  /** Shown in this answer and never again. */
  secret: string;
}

export interface UpdateStitchBody {
  /**
   * The project. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  projectId?: string | undefined;
  /** A name for people to read. */
  name?: string | undefined;
  /** Where events are posted to. Production requires https. */
  webhookUrl?: string | undefined;
  /** The new status. */
  status?: 'active' | 'disabled' | undefined;
  /** false: back from the archive. */
  archived?: false | undefined;
  /** Names and patterns (`thread.*`); none: all events. */
  eventNames?: readonly string[] | undefined;
  /** Your own JSON object. Merged into what is there; null removes a name (RFC 7396). */
  metadata?: Readonly<Record<string, unknown>> | undefined;
}

export interface AttemptStats {
  /** Requests that were made, or refused before they were sent. */
  attempts: number;
  /** Those that were answered with 2xx: so many deliveries were delivered. */
  succeeded: number;
  /** From 0 to 1; null: there was no attempt. */
  successRate: number | null;
  /** Half of the attempts took so long at most, in milliseconds; null: there was none. */
  p50Ms: number | null;
  /** 95 of 100 attempts took so long at most, in milliseconds; null: there was none. */
  p95Ms: number | null;
  /** The longest that a delivery had waited when it was attempted, in milliseconds; null: there was no attempt. */
  longestWaitMs: number | null;
}

export interface StitchHour {
  /** The beginning of the hour. */
  hour: string;
  /** Requests that were made, or refused before they were sent. */
  attempts: number;
  /** Those that were answered with 2xx: so many deliveries were delivered. */
  succeeded: number;
  /** From 0 to 1; null: there was no attempt. */
  successRate: number | null;
  /** Half of the attempts took so long at most, in milliseconds; null: there was none. */
  p50Ms: number | null;
  /** 95 of 100 attempts took so long at most, in milliseconds; null: there was none. */
  p95Ms: number | null;
  /** The longest that a delivery had waited when it was attempted, in milliseconds; null: there was no attempt. */
  longestWaitMs: number | null;
}

export interface StitchBacklog {
  /** Deliveries, up to 10,000. */
  count: number;
  /** Whether there may be more. */
  more: boolean;
  /** Since when the oldest of them waits; null: none does. */
  oldestSince: string | null;
}

export interface StitchReplay {
  /** The replay: among the `replays` of the stats of the stitch that gets it, while it is under way. */
  replayId: string;
  /** The stitch whose deliveries are replayed. */
  sourceStitchId: string;
  /** From this instant on. */
  since: string;
  /** Up to this instant. */
  until: string;
  /** Names and patterns (`thread.*`); none: all events. */
  eventNames: string[];
  /** Deliveries in these states; none: all. */
  statuses: string[];
  /** Whether it is of what has failed for good, and was not made good since. */
  onlyFailed: boolean;
  /** When it began; null: not known. */
  startedAt: string | null;
  /** Deliveries that it has made so far. */
  replayed: number;
  /** How far it is: when the last delivery that it has looked at was created; null: it is at the beginning. */
  lastCreatedAt: string | null;
}

export interface StitchStats {
  stitchId: string;
  /** The project. */
  projectId: string;
  /** The environment. */
  environmentId: string;
  /** When it was read. */
  asOf: string;
  /** The beginning of the first hour. */
  since: string;
  /** Of all hours. */
  total: AttemptStats;
  /** Those with attempts, the oldest first. */
  hours: StitchHour[];
  /** What is pending or retrying now. */
  backlog: StitchBacklog;
  /** Replays to this stitch that are under way, 5 at most. */
  replays: StitchReplay[];
}

export interface RotateStitchSecretBody {
  /**
   * The project. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  projectId?: string | undefined;
  /** How long the old secret keeps working, in seconds. Default: 86400. */
  gracePeriodSeconds?: number | undefined;
}

export interface TestStitchBody {
  /**
   * The project. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  projectId?: string | undefined;
  /** The event that a sample is sent of. Default: stitch.test.ping. */
  eventName?: string | undefined;
}

export interface DeliveryAttempt {
  /** From 1. */
  number: number;
  trigger: 'scheduled' | 'manual' | 'replay' | 'test';
  attemptedAt: string;
  durationMs: number;
  responseStatus: number | null;
  /** The first 16 KiB of the answer; null: there was none. */
  responseBody: string | null;
  errorClass: 'timeout' | 'dns' | 'connect' | 'tls' | 'blocked_address' | 'unreadable_secret' | 'http_status' | null;
  /** Why it failed, in words; null: it did not. */
  error: string | null;
  nextAttemptAt: string | null;
}

export interface ReplayDeliveryBody {
  /**
   * The project. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  projectId?: string | undefined;
  /** Another stitch to deliver to. Default: the same. */
  targetStitchId?: string | undefined;
}

export interface ReplayFailedBody {
  /**
   * The project. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  projectId?: string | undefined;
  /**
   * The environment.
   * @default the client's
   */
  environmentId?: string | undefined;
  /** Only of this stitch. Default: of all. */
  stitchId?: string | undefined;
  /** Deliveries that were created from this instant on. Default: all that are kept. */
  since?: string | undefined;
  /** Deliveries that were created up to this instant. Default: now. */
  until?: string | undefined;
  /** Names and patterns (`thread.*`); none: all events. */
  eventNames?: readonly string[] | undefined;
}

export interface FailedReplay {
  /** A stitch with deliveries that have failed. */
  stitchId: string;
  /** `started`, also where a replay of the same is under way; `refused`: nothing is replayed. */
  status: 'started' | 'refused';
  /** The replay: among the `replays` of the stats of the stitch that gets it, while it is under way. */
  replayId: string | null;
  /** Why nothing is replayed; null: something is. */
  error: BulkError | null;
}

export interface FailedReplays {
  /** Those with deliveries that have failed. */
  stitches: FailedReplay[];
}

export interface ReplayStitchBody {
  /**
   * The project. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  projectId?: string | undefined;
  /** From this instant on. */
  since: string;
  /** Up to this instant. */
  until?: string | undefined;
  /** Names and patterns (`thread.*`); none: all events. */
  eventNames?: readonly string[] | undefined;
  /** Deliveries in these states; none: all. */
  statuses?: readonly ('pending' | 'delivering' | 'delivered' | 'retrying' | 'failed' | 'cancelled')[] | undefined;
  /** Another stitch to deliver to. Default: the same. */
  targetStitchId?: string | undefined;
}

export interface ReplayAccepted {
  accepted: true;
  /** The replay: among the `replays` of the stats of the stitch that gets it, while it is under way. */
  replayId?: string;
}

export interface EventType {
  /** Three dotted words: `thread.message.received`. */
  eventName: string;
  /** When it is emitted. */
  description: string;
  /** On the Console stream alone: neither kept nor delivered to stitches. */
  ephemeral: boolean;
  /** JSON Schema of the event's `data`. */
  data: Record<string, unknown>;
}

export interface ListedConsoleMember {
  /** The project. */
  projectId: string;
  userId: string;
  /** What the user may do. */
  role: 'project_owner' | 'agent' | 'viewer';
  /** When it was created. */
  createdAt: string;
  /** When it last changed. */
  updatedAt: string;
  /** How others see the user. */
  displayName: string;
  /** The name of a colour; null: the client chooses one. */
  avatarColor: 'gray' | 'red' | 'pink' | 'grape' | 'violet' | 'indigo' | 'blue' | 'cyan' | 'teal' | 'green' | 'lime' | 'yellow' | 'orange' | null;
}

export interface UpsertConsoleMemberBody {
  userId: string;
  /** What the user may do. */
  role: 'project_owner' | 'agent' | 'viewer';
}

export interface WaitingCount {
  count: number;
  more: boolean;
  oldestWaitingSince: string | null;
}

export interface Queues {
  /** The project. */
  projectId: string;
  /** The environment. */
  environmentId: string;
  asOf: string;
  queues: {
    mine: QueueCount;
    unassigned: QueueCount;
    allOpen: QueueCount;
    needsApproval: QueueCount;
    waitingLongest: WaitingCount;
    windowClosing: QueueCount;
    failedSends: QueueCount;
    paused: QueueCount;
    closed: QueueCount;
    snoozed: QueueCount;
    mentions: QueueCount;
  };
}

export interface StreamTicket {
  /** From `createStreamTicket`: works once, within 30 seconds. */
  ticket: string;
  /** Lifetime in seconds. */
  expiresIn: number;
}

/** What the server sends on the Console stream, as JSON text. */
export type StreamFrame = {
  type: 'resumed';
  epoch: string;
  seq: number;
  /** The newest number: what was missed ends there. */
  head: number;
} | {
  type: 'reset';
  epoch: string;
  seq: number;
  reason: 'epoch' | 'expired' | 'ahead';
} | {
  type: 'event';
  /** Its number in the project's stream, for `afterSeq` and for `resume`. */
  seq: number;
  event: SkeinEvent;
} | {
  type: 'event';
  event: EphemeralEvent;
} | {
  type: 'ping';
  seq?: number;
} | {
  type: 'pong';
};

export interface SystemFault {
  /** The name of the alert: its section of the runbook (`/docs/runbook`) says what to do. */
  name: 'SkeinDown' | 'SkeinNotReady' | 'SkeinErrors' | 'SkeinCommitsSlow' | 'SkeinCommitsRefused' | 'SkeinNodeBusy' | 'SkeinOverloaded' | 'SkeinDeadLetters' | 'SkeinDefects' | 'SkeinMaintenanceFails' | 'SkeinNodesCutOff' | 'SkeinClockOff' | 'SkeinShardsVacant' | 'SkeinQuotasAlone' | 'SkeinWebhooksLate' | 'SkeinPoolsFull' | 'SkeinModelsFail' | 'SkeinChatappFails' | 'SkeinTokensExpire' | 'SkeinMailsFail' | 'SkeinSecretsUnreadable';
  /** page: it wakes somebody. ticket: it can wait for the morning. */
  severity: 'page' | 'ticket';
  /** The nodes that have it; none: it is of the service as a whole. */
  nodeIds: string[];
  /** The figure that is wrong, of the node that has most of it; null: it is no number. */
  value: number | null;
  /** Beyond it the figure is wrong; null: it is no number. */
  limit: number | null;
}

export interface SystemPool {
  /** Of the queue or the pool. */
  name: string;
  /** Requests in flight, or connections in use. */
  busy: number;
  /** What waits for its turn. */
  waiting: number;
}

export interface SystemNodeReport {
  /** What its `/readyz` says. */
  status: 'ok' | 'starting' | 'draining' | 'failed';
  /** The checks of its `/readyz` that fail. */
  failedChecks: string[];
  /** When its process began to serve. */
  startedAt: string;
  /** How long it may serve without another renewal of its lease, in milliseconds; null: it needs none. */
  leasedMs: number | null;
  /** Its resident memory (`process_resident_memory_bytes`). */
  memoryBytes: number;
  /** The delay of its event loop within a quarter of a minute, 99th percentile (`nodejs_eventloop_lag_p99_seconds`). */
  eventLoopP99Seconds: number;
  /** By how much its clock is ahead of the database's (`skein_clock_ahead_seconds`). */
  clockAheadSeconds: number;
  /** Shards that it owns (`skein_shards`). */
  shards: number;
  /** Actors in its memory (`skein_residents`). */
  actors: number;
  /** Commands that wait or are in flight (`skein_commands`). */
  commands: number;
  /** Those of its busiest actor (`skein_mailbox_deepest`); at 1,000 it answers 503. */
  deepestMailbox: number;
  /** Tasks that run (`skein_tasks_running`). */
  tasksRunning: number;
  /** Tasks that have not begun, or wait for their next try (`skein_tasks_waiting`). */
  tasksWaiting: number;
  /** Reminders that are being delivered (`skein_reminders_in_flight`). */
  remindersInFlight: number;
  /** Requests on their way to other nodes (`skein_asks_outgoing`). */
  asksOutgoing: number;
  /** Commits of the last five minutes (`skein_commits_total`). */
  commits: number;
  /** 99 of 100 of them took so long at most, in milliseconds (`skein_commit_milliseconds`); null: there was none. */
  commitP99Ms: number | null;
  /** Commits refused within five minutes (`skein_commits_refused_total`). */
  commitsRefused: number;
  /** Commands refused within five minutes because a limit was reached (`skein_overloaded_total`). */
  overloaded: number;
  /** Reminders and tasks given up within 15 minutes (`skein_dead_letters_total`). */
  deadLetters: number;
  /** Decisions that threw by mistake within 15 minutes (`skein_defects_total`). */
  defects: number;
  /** Requests to other systems by queue, and connections to the database by pool. */
  pools: SystemPool[];
}

export interface SystemNode {
  /** Its `NODE_ID`, or a random one. */
  nodeId: string;
  /** Of its membership. standalone: it is part of no cluster. */
  state: 'joining' | 'settled' | 'draining' | 'standalone';
  /** The version of its software. */
  release: string;
  /** When it joined the cluster; null: it has not. */
  joinedAt: string | null;
  /** Since its last sign of life, in milliseconds; null: it gives none. */
  lastSeenMs: number | null;
  /** What it says of itself; null: it has not answered within a second, or is of a release that cannot. */
  report: SystemNodeReport | null;
}

export interface SystemShard {
  /** Its number, from 0. */
  shard: number;
  /** vacant: nobody has it. The others: what the node does with it. */
  state: 'vacant' | 'claiming' | 'taking' | 'handing over' | 'leaving';
  /** The node that says so. */
  nodeId: string;
  /** Its owner; null: it has none. */
  ownerNodeId: string | null;
  /** Who should own it; null: there is no node to. */
  desiredNodeId: string | null;
}

export interface SystemMove {
  /** takeover: its former owner was no member any more. handover: it gave it away. */
  cause: 'takeover' | 'handover';
  /** The former owner; null: not known. */
  fromNodeId: string | null;
  /** The new owner. */
  toNodeId: string;
  /** How many have gone this way. */
  shards: number;
  /** When the last of them did. */
  at: string;
}

export interface SystemShards {
  /** Of the cluster (`SHARDS`). */
  count: number;
  /** Without an owner: their threads wait. */
  vacant: number;
  /** Those that have no owner or are about to change it, 20 at most. */
  moving: SystemShard[];
  /** What has changed its owner within 15 minutes, the newest first, 20 at most. */
  moves: SystemMove[];
}

export interface SystemStitch {
  /** The stitch. */
  stitchId: string;
  /** The project. */
  projectId: string;
  /** The environment. */
  environmentId: string;
  /** The current status. */
  status: 'active' | 'disabled' | 'error';
  /** Events that it has yet to read of the log. */
  lagEvents: number;
}

export interface SystemActor {
  /** thread, channel, stitch, run, quota or slow-quota. */
  kind: string;
  /** The id of what it is. */
  actorId: string;
  /** Where it lives. */
  nodeId: string;
  /** Commands that wait or are in flight. */
  commands: number;
  /** How long its oldest commit has been under way, in milliseconds; null: it has none. */
  committingMs: number | null;
}

export interface SystemRefusals {
  /** fenced, duplicate, limit, unavailable or error. */
  reason: string;
  /** Within five minutes. */
  recent: number;
  /** Since the nodes have started. */
  total: number;
}

export interface SystemDeadLetter {
  /** Of its actor. */
  kind: string;
  /** The id of its actor. */
  actorId: string;
  /** Of the reminder or the task. */
  name: string;
  /** How often it was tried. */
  attempts: number;
  /** When it was given up. */
  createdAt: string;
}

export interface SystemDeadLetters {
  /** Those that are kept, up to 1,000. */
  count: number;
  /** Whether there are more. */
  more: boolean;
  /** The newest first, 20 at most. */
  newest: SystemDeadLetter[];
}

export interface SystemDatabase {
  /** Of PostgreSQL. */
  version: string;
  /** To this database, of all programs. */
  connections: number;
  /** How many the server takes. */
  maxConnections: number;
  /** Statements that wait for a lock. */
  waitingForLocks: number;
  /** Of the transaction that has been open longest; null: there is none. */
  longestTransactionSeconds: number | null;
  /** How long this question took, in milliseconds. */
  roundTripMs: number;
}

export interface SystemNats {
  /** Whether the node reaches it. */
  connected: boolean;
}

export interface System {
  /** When it was read. */
  at: string;
  /** The node that has asked the others. */
  nodeId: string;
  /** What is sick, the worst first; none: everything is well. */
  faults: SystemFault[];
  /** The members of the cluster, as that node knows them. */
  nodes: SystemNode[];
  shards: SystemShards;
  /** Those that are furthest behind the log, as nodes have seen them within ten minutes, 20 at most. */
  stitches: SystemStitch[];
  /** Age of the oldest open delivery that has a row (`skein_deliveries_oldest_seconds`), measured once a minute; null: not known. */
  oldestDeliverySeconds: number | null;
  /** Those with the fullest mailboxes, 20 at most. */
  actors: SystemActor[];
  /** Commits that were refused (`skein_commit_refusals_total`), by reason. */
  commitRefusals: SystemRefusals[];
  /** Reminders and tasks that were given up for good. */
  deadLetters: SystemDeadLetters;
  database: SystemDatabase;
  /** Null: the node is part of no cluster. */
  nats: SystemNats | null;
}

/** The names of all events that a stitch delivers. */
export type EventName = SkeinEvent['eventName'];

/** Every code that an error of the service may have. */
export type ErrorCode =
  | 'svc/auth/missing_credentials'
  | 'svc/auth/insufficient_scope'
  | 'svc/auth/expired_token'
  | 'svc/auth/invalid_token'
  | 'svc/auth/invalid_api_key'
  | 'svc/auth/signup_disabled'
  | 'svc/auth/email_domain_not_allowed'
  | 'svc/auth/email_in_use'
  | 'svc/auth/invalid_credentials'
  | 'svc/auth/second_factor_required'
  | 'svc/auth/invalid_code'
  | 'svc/auth/invalid_passkey'
  | 'svc/auth/sso_required'
  | 'svc/auth/sso_failed'
  | 'svc/auth/no_workspace'
  | 'svc/auth/email_not_verified'
  | 'svc/auth/login_required'
  | 'svc/validation/invalid_request'
  | 'svc/runtime/not_found'
  | 'svc/runtime/internal_error'
  | 'svc/runtime/invalid_request'
  | 'svc/runtime/idempotency_conflict'
  | 'svc/runtime/missing_idempotency_key'
  | 'svc/runtime/conflict'
  | 'svc/runtime/precondition_failed'
  | 'svc/runtime/not_implemented'
  | 'svc/runtime/unavailable'
  | 'svc/rate_limit/exceeded'
  | 'svc/console/not_found'
  | 'svc/console/forbidden'
  | 'svc/chatapp/invalid_verify_token'
  | 'svc/chatapp/invalid_signature'
  | 'svc/chatapp/connect_failed'
  | 'svc/chatapp/channel_not_connected'
  | 'svc/chatapp/webhook_identity_mismatch'
  | 'svc/chatapp/template_required'
  | 'svc/partner_app/in_use'
  | 'svc/agent_runs/suggestion_already_resolved';
