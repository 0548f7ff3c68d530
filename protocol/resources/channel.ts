import Type from 'typebox';
import type { Static } from 'typebox';
import { attachmentsInput } from './attachment.ts';
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
import { Actor, maxMessageLength } from './message.ts';

export const channelKinds = ['sandbox', 'custom', 'chatapp'] as const;
export type ChannelKind = (typeof channelKinds)[number];
export const channelStatuses = ['disconnected', 'connecting', 'connected', 'error'] as const;
export type ChannelStatus = (typeof channelStatuses)[number];

export const Channel = resource('Channel', {
  channelId: id('channel'),
  projectId: id('project'),
  environmentId: id('environment'),
  name: text(1, 256),
  kind: choice(channelKinds),
  status: choice(channelStatuses),
  metadata: freeForm(),
  createdAt: instant(),
  updatedAt: instant(),
  /** The agent of threads that name none. */
  defaultAgentId: optional(nullable(id('agent'))),
});
export type Channel = Static<typeof Channel>;

export const CreateChannelBody = body('CreateChannelBody', {
  projectId: id('project'),
  environmentId: id('environment'),
  name: text(1, 256),
  kind: choice(channelKinds),
  metadata: optional(freeFormInput()),
});
export type CreateChannelBody = Static<typeof CreateChannelBody>;

export const UpdateChannelBody = body('UpdateChannelBody', {
  projectId: id('project'),
  name: optional(text(1, 256)),
  defaultAgentId: optional(nullable(id('agent'))),
  metadata: optional(freeFormInput()),
});
export type UpdateChannelBody = Static<typeof UpdateChannelBody>;

/** The steps of connecting a chatapp channel, in their order; `interrupted`: the node ended before the last one. */
export const connectSteps = [
  'exchange_code',
  'inspect_token',
  'find_account',
  'find_number',
  'subscribe_app',
  'register_number',
  'install_callback',
  'interrupted',
] as const;
export type ConnectStep = (typeof connectSteps)[number];

/** Why a channel has the status `error`. */
export const ChatappFailure = resource('ChatappFailure', {
  /** Of connecting; null: the channel was connected, and lost its connection. */
  step: nullable(choice(connectSteps)),
  /** The provider's error code; null: the provider did not answer, or it was not the provider that refused. */
  code: nullable(Type.Integer()),
  message: Type.String(),
});
export type ChatappFailure = Static<typeof ChatappFailure>;

/** The events that are entries of a channel's history. */
export const channelChangeEvents = [
  'channel.lifecycle.created',
  'channel.status.changed',
  'channel.credential.expiring',
  'channel.credential.expired',
  'channel.credential.renewed',
] as const;

/** Something became of a channel's connection. */
export const ChannelChange = resource('ChannelChange', {
  channelId: id('channel'),
  /** Of the event that tells the same; it is there for 30 days. */
  eventId: id('event'),
  eventName: choice(channelChangeEvents),
  /** From then on. */
  status: choice(channelStatuses),
  /** Null: it was not changed. */
  previousStatus: nullable(choice(channelStatuses)),
  error: nullable(ChatappFailure),
  tokenExpiresAt: nullable(instant()),
  actor: Actor,
  occurredAt: instant(),
});
export type ChannelChange = Static<typeof ChannelChange>;

/** A command for a custom channel: an event of the channel that has not been acknowledged. */
export const ChannelCommand = resource('ChannelCommand', {
  eventId: id('event'),
  eventName: Type.String(),
  occurredAt: instant(),
  projectId: id('project'),
  channelId: id('channel'),
  data: freeForm(),
});
export type ChannelCommand = Static<typeof ChannelCommand>;

export const receiptStatuses = ['sent', 'delivered', 'read', 'failed'] as const;
export type ReceiptStatus = (typeof receiptStatuses)[number];

/** Why a message failed, reported by the channel. */
const failure = body('MessageFailure', {
  code: optional(text(1, 128)),
  message: optional(text(1, 1024)),
});

/** One of messageId and externalMessageId is needed, else the handler answers 422. */
export const ReceiptBody = body('ReceiptBody', {
  projectId: id('project'),
  messageId: optional(id('message')),
  externalMessageId: optional(text(1, 256)),
  status: choice(receiptStatuses),
  occurredAt: instant(),
  error: optional(failure),
});
export type ReceiptBody = Static<typeof ReceiptBody>;

export const simulations = ['inbound', 'delivered', 'read', 'failed', 'window_expired'] as const;

/**
 * `inbound` needs `body` and a threadId or externalParticipantRef; the receipts need `messageId`; `window_expired` needs
 * `threadId`. The handler answers 422 when they are missing.
 */
export const SimulateBody = body('SimulateBody', {
  projectId: id('project'),
  event: choice(simulations),
  threadId: optional(id('thread')),
  externalParticipantRef: optional(text(1, 256)),
  messageId: optional(id('message')),
  body: optional(text(1, maxMessageLength)),
  attachments: optional(attachmentsInput),
  metadata: optional(freeFormInput()),
  error: optional(failure),
});
export type SimulateBody = Static<typeof SimulateBody>;

export const Simulated = resource('Simulated', {
  accepted: Type.Literal(true),
  threadId: optional(id('thread')),
  messageId: optional(id('message')),
});
export type Simulated = Static<typeof Simulated>;

export const ChatappReadiness = resource('ChatappReadiness', {
  channelId: id('channel'),
  projectId: id('project'),
  ok: Type.Boolean(),
  checks: Type.Array(
    Type.Object({
      id: text(1, 64),
      label: text(1, 256),
      ok: Type.Boolean(),
      reason: optional(text(1, 512)),
    }),
  ),
});
export type ChatappReadiness = Static<typeof ChatappReadiness>;

export const ChatappTemplate = resource('ChatappTemplate', {
  id: text(1, 128),
  name: text(1, 512),
  language: text(1, 32),
  category: optional(text(1, 128)),
  status: optional(text(1, 128)),
  components: Type.Array(freeForm(), { default: [] }),
});
export type ChatappTemplate = Static<typeof ChatappTemplate>;
