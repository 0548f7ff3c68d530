/** Conversations. A thread's row is its actor's snapshot: public columns, the private `state`, and `version`. */
import { defineEntity, p } from '@mikro-orm/core';
import { big, id, instant, metadata, words } from './columns.ts';

export const agentModes = ['auto', 'suggest', 'paused'] as const;

export const Thread = defineEntity({
  name: 'Thread',
  tableName: 'threads',
  properties: {
    threadId: id().primary(),
    projectId: id(),
    environmentId: id(),
    channelId: id().nullable(),
    externalRef: p.text().nullable(),
    status: p.enum(['open', 'closed', 'archived'] as const),
    agentMode: p.enum(agentModes).nullable(),
    agentId: id().nullable(),
    assigneeUserId: id().nullable(),
    tags: words(),
    customFields: p.json<Record<string, string | number | boolean | null>>().default('{}'),
    metadata: metadata(),
    participant: p.json<unknown>().nullable(),
    lastMessageAt: instant(),
    /** Whole seconds of lastMessageAt: what the index has, see storage/reads/threads.ts. */
    activeSecond: big(),
    createdAt: instant(),
    updatedAt: instant(),
    /** Whole seconds of updatedAt; null: as activeSecond, since before there was this column. */
    updatedSecond: big().nullable(),
    archivedAt: instant().nullable(),
    /** These four are null until the thread changes, since before there were these columns. */
    waitingSince: instant().nullable(),
    /** Whole minutes of the end of an open service window: see storage/reads/thread-lists.ts. */
    windowMinute: big().nullable(),
    /** The run that has made it. */
    pendingSuggestion: id().nullable(),
    /** Null: there are none. */
    failedSends: p.integer().nullable(),
    snoozedUntil: instant().nullable(),
    state: p.json<unknown>(),
    version: big(),
  },
  // Those by activity change with the second of the last message, all others with requests of users: in between, updates stay HOT.
  indexes: [
    { name: 'threads_by_status', properties: ['projectId', 'environmentId', 'status', 'activeSecond'] },
    {
      name: 'threads_by_channel',
      properties: ['projectId', 'environmentId', 'channelId', 'status', 'activeSecond'],
      where: 'channel_id is not null',
    },
    {
      name: 'threads_of_mode',
      properties: ['projectId', 'environmentId', 'agentMode', 'status', 'activeSecond'],
      where: 'agent_mode is not null',
    },
    {
      name: 'threads_of_user',
      properties: ['projectId', 'environmentId', 'assigneeUserId', 'status', 'activeSecond'],
      where: 'assignee_user_id is not null',
    },
    {
      name: 'threads_tagged',
      properties: ['projectId', 'environmentId', 'activeSecond'],
      where: "tags <> '{}'",
    },
    {
      name: 'threads_by_change',
      expression:
        'create index threads_by_change on threads (project_id, environment_id, greatest(active_second, updated_second))',
    },
    {
      name: 'threads_without_channel',
      properties: ['projectId', 'environmentId', 'externalRef'],
      where: 'channel_id is null and external_ref is not null',
    },
    {
      name: 'threads_waiting',
      properties: ['projectId', 'environmentId', 'waitingSince'],
      where: 'waiting_since is not null',
    },
    {
      name: 'threads_unassigned',
      properties: ['projectId', 'environmentId', 'activeSecond'],
      where: "status = 'open' and assignee_user_id is null",
    },
    {
      name: 'threads_by_window',
      properties: ['projectId', 'environmentId', 'windowMinute'],
      where: 'window_minute is not null',
    },
    {
      name: 'threads_snoozed',
      properties: ['projectId', 'environmentId', 'snoozedUntil'],
      where: 'snoozed_until is not null',
    },
    {
      name: 'threads_with_suggestion',
      properties: ['projectId', 'environmentId', 'activeSecond'],
      where: 'pending_suggestion is not null',
    },
    {
      name: 'threads_with_failures',
      properties: ['projectId', 'environmentId', 'activeSecond'],
      where: 'failed_sends is not null',
    },
    { name: 'threads_by_creation', properties: ['projectId', 'environmentId', 'createdAt', 'threadId'] },
    {
      name: 'threads_assigned',
      properties: ['assigneeUserId', 'threadId'],
      where: 'assignee_user_id is not null',
    },
  ],
});

export const Message = defineEntity({
  name: 'Message',
  tableName: 'messages',
  properties: {
    messageId: id().primary(),
    projectId: id(),
    environmentId: id(),
    threadId: id(),
    channelId: id().nullable(),
    /** The number of the event that brought it, in its thread: dense over events, so with holes over messages. */
    sequence: big(),
    direction: p.enum(['inbound', 'outbound'] as const),
    body: p.text(),
    externalMessageId: id().nullable(),
    status: p.enum(['queued', 'sent', 'delivered', 'read', 'failed'] as const).nullable(),
    attachments: p.json<readonly unknown[]>().default('[]'),
    metadata: metadata(),
    actor: p.json<{ type: string; id: string }>(),
    /** Content, what it answers, and referral: the members of a message that most have none of. */
    details: p.json<Record<string, unknown>>().nullable(),
    /** Why it failed. */
    failure: p.json<Record<string, unknown>>().nullable(),
    createdAt: instant(),
    updatedAt: instant(),
  },
  uniques: [
    { name: 'messages_sequence', properties: ['threadId', 'sequence'] },
    {
      name: 'messages_external',
      properties: ['channelId', 'externalMessageId'],
      where: 'external_message_id is not null',
    },
  ],
});

/** The words of a message, or under the sequence 0 of the participant's name, by which a search finds the thread (storage/search). */
export const MessageWords = defineEntity({
  name: 'MessageWords',
  tableName: 'message_words',
  properties: {
    threadId: id().primary(),
    sequence: big().primary(),
    projectId: id(),
    environmentId: id(),
    /** Of the event in its project. */
    seq: big(),
    at: instant(),
    words: p.string().columnType('tsvector'),
  },
  indexes: [
    { name: 'message_words_newest', properties: ['projectId', 'environmentId', 'seq'] },
    {
      name: 'message_words_found',
      expression: 'create index message_words_found on message_words using gin (words) where sequence > 0',
    },
    {
      name: 'message_words_named',
      expression: 'create index message_words_named on message_words using gin (words) where sequence = 0',
    },
  ],
});

export const ThreadNote = defineEntity({
  name: 'ThreadNote',
  tableName: 'thread_notes',
  properties: {
    threadNoteId: id().primary(),
    projectId: id(),
    environmentId: id(),
    threadId: id(),
    authorUserId: id(),
    body: p.text(),
    createdAt: instant(),
    updatedAt: instant(),
    mentions: words(),
  },
  indexes: [{ name: 'thread_notes_listed', properties: ['threadId', 'createdAt', 'threadNoteId'] }],
});

/** A user whom a note mentions. */
export const NoteMention = defineEntity({
  name: 'NoteMention',
  tableName: 'note_mentions',
  properties: {
    threadNoteId: id().primary(),
    userId: id().primary(),
    projectId: id(),
    environmentId: id(),
    threadId: id(),
    mentionedAt: instant(),
    /** Null: not yet. */
    readAt: instant().nullable(),
  },
  indexes: [
    {
      name: 'note_mentions_listed',
      properties: ['userId', 'projectId', 'environmentId', 'mentionedAt', 'threadNoteId'],
    },
    {
      name: 'note_mentions_unread',
      expression: `create index note_mentions_unread on note_mentions
        (user_id, project_id, environment_id, mentioned_at, thread_note_id) where read_at is null`,
    },
    { name: 'note_mentions_thread', properties: ['threadId'] },
  ],
});

/** How far a user has read a thread. */
export const ReadCursor = defineEntity({
  name: 'ReadCursor',
  tableName: 'read_cursors',
  properties: {
    threadId: id().primary(),
    userId: id().primary(),
    projectId: id(),
    environmentId: id(),
    sequence: big(),
    updatedAt: instant(),
    /** Of the thread's inbound messages those up to the sequence; null: from before they were counted. */
    inboundCount: big().nullable(),
  },
});

/** The keyed hash of the provider's id of an erased message (storage/chatapp/erased-messages.ts). */
export const ErasedMessage = defineEntity({
  name: 'ErasedMessage',
  tableName: 'erased_messages',
  properties: {
    channelId: id().primary(),
    idHash: p.blob().primary(),
    projectId: id(),
    environmentId: id(),
    erasedAt: instant(),
  },
  indexes: [{ name: 'erased_messages_by_age', properties: ['erasedAt'] }],
});

/** A thread whose personal data is to be erased, in everything up to an event (storage/retention/erasures.ts). */
export const Erasure = defineEntity({
  name: 'Erasure',
  tableName: 'erasures',
  properties: {
    threadId: id().primary(),
    projectId: id(),
    environmentId: id(),
    /** The thread's number of that event. */
    through: big(),
    requestedAt: instant(),
    /** When the next pass is due: the first, the second for what was in progress at the first, or a retry. */
    dueAt: instant(),
    /** Failures in a row. */
    attempts: p.integer().default(0),
    lastError: p.text().nullable(),
  },
  indexes: [{ name: 'erasures_due', properties: ['dueAt'] }],
});

/** The bytes of an environment's files, kept by triggers of `attachments` (storage/migrations/limits.ts). */
export const AttachmentTotal = defineEntity({
  name: 'AttachmentTotal',
  tableName: 'attachment_totals',
  properties: {
    projectId: id().primary(),
    environmentId: id().primary(),
    /** Of those that are not uploaded yet. */
    announcedBytes: big(),
    /** Of all that are not erased. */
    bytes: big(),
  },
});

/** A file: announced (`pending`), its bytes in the media store (`stored`), or gone (`erased`). */
export const Attachment = defineEntity({
  name: 'Attachment',
  tableName: 'attachments',
  properties: {
    attachmentId: id().primary(),
    projectId: id(),
    environmentId: id(),
    threadId: id().nullable(),
    messageId: id().nullable(),
    status: p.enum(['pending', 'stored', 'erased'] as const),
    filename: p.text(),
    mimeType: p.text(),
    sizeBytes: big(),
    storageKey: id(),
    sha256: p.blob().nullable(),
    providerMediaId: p.text().nullable(),
    metadata: metadata(),
    createdAt: instant(),
    storedAt: instant().nullable(),
    /** When the upload began that has the row to itself. */
    claimedAt: instant().nullable(),
    erasedAt: instant().nullable(),
  },
  uniques: [{ name: 'attachments_storage_key', properties: ['storageKey'] }],
  indexes: [
    { name: 'attachments_thread', properties: ['threadId'], where: 'thread_id is not null' },
    { name: 'attachments_loose', properties: ['createdAt'], where: 'message_id is null' },
    { name: 'attachments_erased', properties: ['attachmentId'], where: "status = 'erased'" },
  ],
});
