import Type from 'typebox';
import type { Static, TSchema } from 'typebox';
import {
  body,
  choice,
  freeForm,
  freeFormInput,
  id,
  instant,
  limitBytes,
  nullable,
  optional,
  resource,
  restored,
  text,
} from './fields.ts';
import { page, scope } from './list.ts';
import { actorTypes, directions } from './message.ts';
import { FreeEntry, Participant, ParticipantInput, ServiceWindow } from './participant.ts';

export const threadStatuses = ['open', 'closed', 'archived'] as const;
export type ThreadStatus = (typeof threadStatuses)[number];
export const agentModes = ['auto', 'suggest', 'paused'] as const;
export type AgentMode = (typeof agentModes)[number];

/** Why a thread was snoozed or woken: somebody asked for it, its time had come, its participant wrote, or it was closed or archived. */
export const snoozeReasons = ['request', 'due', 'message', 'status'] as const;
export type SnoozeReason = (typeof snoozeReasons)[number];

/** Why an assignee changed: somebody asked for it, by the project's round robin, or because the assignee may no longer answer. */
export const assignmentReasons = ['request', 'automatic', 'access_lost'] as const;
export type AssignmentReason = (typeof assignmentReasons)[number];

/** The tags of a thread. */
export const maxTags = 20;

/** 1 to 64 characters: a letter or digit, then letters, digits, `_` or `-`. */
export const tag = Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$' });

/** Values are texts, numbers, booleans or null. */
export const customFields = Type.Unsafe<Record<string, string | number | boolean | null>>({
  type: 'object',
  additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
  default: {},
});

/** Code points of a subject. */
export const maxSubjectLength = 256;

/** Code points of a preview's text. */
export const maxPreviewLength = 140;

/** The last message, as a row of a list shows it. */
export const ThreadPreview = resource('ThreadPreview', {
  messageId: id('message'),
  direction: choice(directions),
  actorType: choice(actorTypes),
  /** One line; a longer text ends in `…`. Empty where the message has no text. */
  text: Type.String(),
  /** The `type` of its `content`, if it has one. */
  contentType: nullable(Type.String()),
  attachmentCount: Type.Integer({ minimum: 0 }),
  at: instant(),
});
export type ThreadPreview = Static<typeof ThreadPreview>;

/** Where a search has found its words: plain text, and each match as its start and end in UTF-16 code units. */
export const ThreadMatch = resource('ThreadMatch', {
  field: choice(['participant', 'subject', 'message']),
  messageId: optional(nullable(id('message'))),
  snippet: Type.String(),
  highlights: Type.Array(Type.Array(Type.Integer({ minimum: 0 }), { minItems: 2, maxItems: 2 })),
  at: instant(),
});
export type ThreadMatch = Static<typeof ThreadMatch>;

/** An unread count of this many stands for this many or more. */
export const maxUnreadCount = 100;

export const Thread = resource('Thread', {
  threadId: id('thread'),
  projectId: id('project'),
  environmentId: id('environment'),
  channelId: optional(nullable(id('channel'))),
  status: choice(threadStatuses),
  agentMode: optional(nullable(choice(agentModes))),
  tags: optional(Type.Array(tag, { default: [] })),
  customFields: optional(customFields),
  metadata: optional(freeForm()),
  lastMessageAt: instant(),
  createdAt: instant(),
  updatedAt: instant(),
  archivedAt: optional(nullable(instant())),
  /** The participant; together with the channel it is the thread's identity. */
  externalRef: optional(nullable(Type.String())),
  agentId: optional(nullable(id('agent'))),
  assigneeUserId: optional(nullable(id('user'))),
  /** Number of the thread's last event. */
  sequence: optional(Type.Integer({ minimum: 0 })),
  participant: optional(nullable(Participant)),
  /** What it is about, where its channel or whoever made it has said so. */
  subject: optional(nullable(Type.String())),
  serviceWindow: optional(nullable(ServiceWindow)),
  freeEntry: optional(nullable(FreeEntry)),
  /** How far the requesting user has read, if at all; only in reads with a Studio token. */
  readSequence: optional(Type.Integer({ minimum: 0 })),
  /** Messages of the participant that the requesting user has not read, 100 for any more; only in reads with a Studio token. */
  unreadCount: optional(Type.Integer({ minimum: 0, maximum: maxUnreadCount })),
  /** The last message; not in events, which have messages of their own. */
  preview: optional(nullable(ThreadPreview)),
  /** Since when the participant waits for an answer; null: for none. */
  waitingSince: optional(nullable(instant())),
  /** The run whose suggestion waits for an operator. */
  pendingSuggestion: optional(nullable(id('run'))),
  /** Messages that could not be sent, since one was sent after that or the thread was closed. */
  failedSends: optional(Type.Integer({ minimum: 0 })),
  /** Until when it is put away; null: it is not. An inbound message wakes it sooner. */
  snoozedUntil: optional(nullable(instant())),
  /** When the participant's personal data was last erased; null: never. What came since is there. */
  erasedAt: optional(nullable(instant())),
  /** In the results of a search: what was found. */
  match: optional(ThreadMatch),
});
export type Thread = Static<typeof Thread>;

export const CreateThreadBody = body('CreateThreadBody', {
  projectId: id('project'),
  environmentId: id('environment'),
  channelId: optional(id('channel')),
  externalRef: optional(text(1, 256)),
  subject: optional(text(1, maxSubjectLength)),
  metadata: optional(freeFormInput()),
});
export type CreateThreadBody = Static<typeof CreateThreadBody>;

export const UpdateThreadBody = body('UpdateThreadBody', {
  projectId: id('project'),
  status: optional(choice(threadStatuses)),
  agentMode: optional(nullable(choice(agentModes))),
  archived: restored(),
  tags: optional(Type.Array(tag, { maxItems: maxTags })),
  customFields: optional(limitBytes(customFields)),
  metadata: optional(freeFormInput()),
  /** Null: the agent of the thread's channel. */
  agentId: optional(nullable(id('agent'))),
  /** Merged into what is known; null clears. */
  participant: optional(ParticipantInput),
  /** Null clears. */
  subject: optional(nullable(text(1, maxSubjectLength))),
  /** In the future, at most a year ahead; null wakes. For an open thread. */
  snoozedUntil: optional(nullable(instant())),
  /** The thread's `sequence` that the caller has seen. */
  expectedSequence: optional(Type.Integer({ minimum: 0 })),
});
export type UpdateThreadBody = Static<typeof UpdateThreadBody>;

/** Null releases the thread. */
export const AssignThreadBody = body('AssignThreadBody', {
  projectId: id('project'),
  userId: nullable(id('user')),
});
export type AssignThreadBody = Static<typeof AssignThreadBody>;

/**
 * By `waitingSince`: the threads that wait alone; by `windowClosesAt`: open ones whose service window is open, by the minute of its end; by
 * `snoozedUntil`: those that are snoozed.
 */
export const threadSorts = [
  'lastMessageAt',
  'createdAt',
  'updatedAt',
  'waitingSince',
  'windowClosesAt',
  'snoozedUntil',
] as const;

/** In the place of an assignee: threads that are assigned to nobody. */
export const unassigned = 'unassigned';
/** In the place of a mode: threads that have none of their own. */
export const noAgentMode = 'none';

const assignee = Type.Unsafe<string>({ anyOf: [id('user'), { type: 'string', const: unassigned }] });

/** A filter with several values, for each of which its name is repeated: a thread has one of them. */
function createFilter<S extends TSchema>(item: S) {
  return optional(Type.Array(item, { maxItems: 20 }));
}

export const ListThreadsQuery = Type.Object({
  ...scope,
  /** Words of messages, of the subject, and of the participant's name. The last one may be the beginning of a word, from three characters on. */
  q: optional(text(1, 200)),
  status: createFilter(choice(threadStatuses)),
  agentMode: createFilter(choice([...agentModes, noAgentMode])),
  channelId: createFilter(id('channel')),
  tag: createFilter(tag),
  assigneeUserId: createFilter(assignee),
  participantRef: optional(text(1, 256)),
  updatedAfter: optional(instant()),
  hasPendingSuggestion: optional(Type.Boolean()),
  awaitingReply: optional(Type.Boolean()),
  /** Of the requesting user. */
  unread: optional(Type.Boolean()),
  snoozed: optional(Type.Boolean()),
  /** Whether `failedSends` is more than 0. */
  failedSends: optional(Type.Boolean()),
  /** Open threads whose service window is open and ends before. */
  windowClosesBefore: optional(instant()),
  sort: optional(choice(threadSorts, { default: 'lastMessageAt' })),
  order: optional(choice(['asc', 'desc'], { default: 'desc' })),
  ...page,
});
