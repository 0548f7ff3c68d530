import Type from 'typebox';
import type { Static, TSchema } from 'typebox';
import {
  body,
  choice,
  freeForm,
  id,
  instant,
  nullable,
  optional,
  resource,
  restored,
  text,
} from './fields.ts';
import { page, scope } from './list.ts';

export const threadStatuses = ['open', 'closed', 'archived'] as const;
export type ThreadStatus = (typeof threadStatuses)[number];
export const agentModes = ['auto', 'suggest', 'paused'] as const;
export type AgentMode = (typeof agentModes)[number];

/** 1 to 64 characters: a letter or digit, then letters, digits, `_` or `-`. */
export const tag = Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$' });

/** Values are texts, numbers, booleans or null. */
export const customFields = Type.Unsafe<Record<string, string | number | boolean | null>>({
  type: 'object',
  additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
  default: {},
});

/** The provider's window for free-form outbound messages: 24 hours after the last inbound one. Null when the channel has none. */
export const ServiceWindow = resource('ServiceWindow', {
  open: Type.Boolean(),
  expiresAt: nullable(instant()),
});
export type ServiceWindow = Static<typeof ServiceWindow>;

/** A period without charges by the provider, after a referral; it concerns prices only. */
export const FreeEntry = resource('FreeEntry', {
  status: choice(['pending', 'open', 'closed']),
  /** While it is pending: until when a message of the business has to be delivered. */
  pendingUntil: optional(nullable(instant())),
  openedAt: optional(nullable(instant())),
  expiresAt: optional(nullable(instant())),
});
export type FreeEntry = Static<typeof FreeEntry>;

/** Who writes on the other side. `attributes` are what the provider or the channel's owner knows of them. */
export const Participant = resource('Participant', {
  externalParticipantRef: nullable(Type.String()),
  displayName: nullable(Type.String()),
  locale: nullable(Type.String()),
  attributes: freeForm(),
});
export type Participant = Static<typeof Participant>;

/** What is known of the participant now: fields that are absent stay as they are. */
export const ParticipantInput = body('ParticipantInput', {
  displayName: optional(nullable(text(1, 256))),
  /** A language, and a region if there is one (BCP 47). */
  locale: optional(nullable(text(1, 64))),
  attributes: optional(freeForm()),
});
export type ParticipantInput = Static<typeof ParticipantInput>;

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
  serviceWindow: optional(nullable(ServiceWindow)),
  freeEntry: optional(nullable(FreeEntry)),
  /** How far the requesting user has read, if at all; only in reads with a Studio token. */
  readSequence: optional(Type.Integer({ minimum: 0 })),
});
export type Thread = Static<typeof Thread>;

export const CreateThreadBody = body('CreateThreadBody', {
  projectId: id('project'),
  environmentId: id('environment'),
  channelId: optional(id('channel')),
  externalRef: optional(text(1, 256)),
  metadata: optional(freeForm()),
});
export type CreateThreadBody = Static<typeof CreateThreadBody>;

export const UpdateThreadBody = body('UpdateThreadBody', {
  projectId: id('project'),
  status: optional(choice(threadStatuses)),
  agentMode: optional(nullable(choice(agentModes))),
  archived: restored(),
  tags: optional(Type.Array(tag, { maxItems: 20 })),
  customFields: optional(customFields),
  metadata: optional(freeForm()),
  /** Null: the agent of the thread's channel. */
  agentId: optional(nullable(id('agent'))),
});
export type UpdateThreadBody = Static<typeof UpdateThreadBody>;

/** Null releases the thread. */
export const AssignThreadBody = body('AssignThreadBody', {
  projectId: id('project'),
  userId: nullable(id('user')),
});
export type AssignThreadBody = Static<typeof AssignThreadBody>;

export const threadSorts = ['lastMessageAt', 'createdAt', 'updatedAt'] as const;

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
  status: createFilter(choice(threadStatuses)),
  agentMode: createFilter(choice([...agentModes, noAgentMode])),
  channelId: createFilter(id('channel')),
  tag: createFilter(tag),
  assigneeUserId: createFilter(assignee),
  participantRef: optional(text(1, 256)),
  updatedAfter: optional(instant()),
  sort: optional(choice(threadSorts, { default: 'lastMessageAt' })),
  order: optional(choice(['asc', 'desc'], { default: 'desc' })),
  ...page,
});

export const PersonalDataErasure = resource('PersonalDataErasure', {
  threadId: id('thread'),
  requestedAt: instant(),
});
export type PersonalDataErasure = Static<typeof PersonalDataErasure>;
