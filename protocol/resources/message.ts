import Type from 'typebox';
import type { Static } from 'typebox';
import { attachmentsInput, MessageAttachment } from './attachment.ts';
import {
  body,
  choice,
  freeForm,
  freeFormInput,
  id,
  instant,
  nullable,
  optional,
  resource,
  text,
} from './fields.ts';
import { MessageContent, MessageContentInput, MessageError, MessageReference, Referral } from './content.ts';
import { maybeProject, page, scope } from './list.ts';
import { ParticipantInput, ServiceWindow } from './participant.ts';

export const directions = ['inbound', 'outbound'] as const;
export type Direction = (typeof directions)[number];
/** By rank; `failed` is final. A status never goes back (docs/contract-decisions.md, "Message"). */
export const messageStatuses = ['queued', 'sent', 'delivered', 'read', 'failed'] as const;
export type MessageStatus = (typeof messageStatuses)[number];
/** Code points of a message's body. */
export const maxMessageLength = 16_000;

export const actorTypes = ['contact', 'user', 'agent', 'api_key', 'system'] as const;

/** Who did it. The id is null for the system itself, and the name of an internal service. */
export const Actor = resource('Actor', {
  type: choice(actorTypes),
  id: nullable(Type.String()),
  /** The key that acted on the user's behalf. */
  apiKeyId: optional(id('apiKey')),
});
export type Actor = Static<typeof Actor>;

export const Message = resource('Message', {
  messageId: id('message'),
  threadId: id('thread'),
  projectId: id('project'),
  direction: choice(directions),
  body: Type.String(),
  externalMessageId: optional(nullable(Type.String())),
  status: optional(nullable(choice(messageStatuses))),
  attachments: Type.Array(MessageAttachment, { default: [] }),
  metadata: freeForm(),
  createdAt: instant(),
  /** Its place in the thread: the number of the event that created it. */
  sequence: optional(Type.Integer({ minimum: 1 })),
  environmentId: optional(id('environment')),
  channelId: optional(nullable(id('channel'))),
  actor: optional(Actor),
  /** Absent: a plain text. */
  content: optional(MessageContent),
  /** The message that this one answers. */
  replyTo: optional(MessageReference),
  /** How often it was passed on before: `often` is more than five times. */
  forwarded: optional(choice(['once', 'often'])),
  referral: optional(Referral),
  /** Why it failed. */
  error: optional(MessageError),
});
export type Message = Static<typeof Message>;

/** `direction` is outbound by default. Without `body` there has to be a content that is no text, else the handler answers 422. */
export const CreateMessageBody = body('CreateMessageBody', {
  projectId: id('project'),
  body: optional(text(1, maxMessageLength)),
  content: optional(MessageContentInput),
  /** The message of the thread that this one answers. */
  replyTo: optional(Type.Object({ messageId: id('message') }, { additionalProperties: false })),
  direction: optional(choice(directions, { default: 'outbound' })),
  attachments: optional(attachmentsInput),
  metadata: optional(freeFormInput()),
});
export type CreateMessageBody = Static<typeof CreateMessageBody>;

/** `dryRun` checks whether the message would be accepted, and sends nothing. */
export const CreateMessageQuery = Type.Object({ dryRun: optional(Type.Boolean({ default: false })) });

/** `reason` is the code of the error that the message would cause. */
export const MessageDryRun = resource('MessageDryRun', {
  allowed: Type.Boolean(),
  reason: nullable(Type.String()),
  /** The same in words. */
  message: optional(nullable(Type.String())),
  /** Code points of a text that the thread's channel takes. */
  maxTextLength: optional(Type.Integer({ minimum: 1 })),
  /** Without one, a message is kept with the status null, and leaves nowhere. */
  channelId: optional(nullable(id('channel'))),
  serviceWindow: nullable(ServiceWindow),
});
export type MessageDryRun = Static<typeof MessageDryRun>;

export const ListMessagesQuery = Type.Object({
  ...maybeProject,
  /** By sequence. */
  order: optional(choice(['asc', 'desc'], { default: 'asc' })),
  afterSequence: optional(Type.Integer({ minimum: 0 })),
  beforeSequence: optional(Type.Integer({ minimum: 0 })),
  ...page,
});

/** One of messageId and externalMessageId is needed, else the handler answers 422. */
export const FindMessagesQuery = Type.Object({
  ...scope,
  messageId: optional(id('message')),
  externalMessageId: optional(text(1, 256)),
  ...page,
});

/** At least one of threadId, externalThreadRef and externalParticipantRef is needed, else the handler answers 422. */
export const InboundMessageBody = body('InboundMessageBody', {
  projectId: id('project'),
  body: text(1, maxMessageLength),
  threadId: optional(id('thread')),
  externalThreadRef: optional(text(1, 256)),
  externalParticipantRef: optional(text(1, 256)),
  participant: optional(ParticipantInput),
  attachments: optional(attachmentsInput),
  metadata: optional(freeFormInput()),
  /** Automatic answers in a row that led to this message: `hops` of the channel command that it answers. */
  hops: optional(Type.Integer({ minimum: 0, maximum: 1_000 })),
});
export type InboundMessageBody = Static<typeof InboundMessageBody>;
