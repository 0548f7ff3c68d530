import Type from 'typebox';
import type { Static } from 'typebox';
import { maxMessageListBytes } from './attachment.ts';
import { channelStatuses, ChatappFailure } from './channel.ts';
import {
  body,
  choice,
  freeForm,
  freeFormInput,
  httpUrl,
  id,
  instant,
  limitBytes,
  nullable,
  optional,
  resource,
  text,
} from './fields.ts';
import { maybeProject, page } from './list.ts';

/**
 * One of `code` and `accessToken` is needed, else the handler answers 422. The business account and the number may be left out where the
 * token reaches one alone.
 */
export const ConnectChatappBody = body('ConnectChatappBody', {
  projectId: id('project'),
  code: optional(text(1, 4096)),
  accessToken: optional(text(1, 4096)),
  partnerAppCredentialId: optional(id('partnerApp')),
  redirectUri: optional(httpUrl()),
  phoneNumberId: optional(text(1, 128)),
  wabaId: optional(text(1, 128)),
  pin: optional(Type.String({ pattern: '^[0-9]{6}$' })),
});
export type ConnectChatappBody = Static<typeof ConnectChatappBody>;

export const DisconnectChatappBody = body('DisconnectChatappBody', { projectId: id('project') });
export type DisconnectChatappBody = Static<typeof DisconnectChatappBody>;

/** All but the first four and `webhookUrl` are null while the channel is not connected. */
export const ChatappStatus = resource('ChatappStatus', {
  channelId: id('channel'),
  projectId: id('project'),
  environmentId: id('environment'),
  status: choice(channelStatuses),
  wabaId: nullable(text(1, 128)),
  phoneNumberId: nullable(text(1, 128)),
  displayPhoneNumber: nullable(Type.String()),
  verifiedName: nullable(Type.String()),
  partnerAppCredentialId: nullable(id('partnerApp')),
  tokenExpiresAt: nullable(instant()),
  connectedAt: nullable(instant()),
  error: nullable(ChatappFailure),
  webhookUrl: Type.String({ format: 'uri' }),
});
export type ChatappStatus = Static<typeof ChatappStatus>;

/** The names are the provider's. */
export const ChatappWebhookQuery = Type.Object({
  'hub.mode': optional(text(1, 64)),
  'hub.challenge': text(1, 512),
  'hub.verify_token': text(1, 512),
});

export const ListTemplatesQuery = Type.Object({
  ...maybeProject,
  name: optional(text(1, 512)),
  status: optional(text(1, 128)),
  category: optional(text(1, 128)),
  language: optional(text(1, 32)),
  ...page,
});

/** `to` is the number of the thread's participant, in any notation; it may be left out. */
export const SendTemplateBody = body('SendTemplateBody', {
  projectId: id('project'),
  threadId: id('thread'),
  templateName: text(1, 512),
  language: text(1, 32),
  to: optional(text(3, 64)),
  components: optional(limitBytes(Type.Array(freeForm(), { default: [] }), maxMessageListBytes)),
  metadata: optional(freeFormInput()),
});
export type SendTemplateBody = Static<typeof SendTemplateBody>;
