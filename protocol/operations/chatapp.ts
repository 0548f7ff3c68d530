/** Chatapp channels: their connection to the chat provider, and the provider's webhooks. */
import Type from 'typebox';
import type { Operation } from '../operation.ts';
import {
  Accepted,
  ChatappStatus,
  ChatappWebhookQuery,
  ConnectChatappBody,
  DisconnectChatappBody,
  id,
  MaybeProjectQuery,
} from '../resources/index.ts';
import { absent, access, always, checked, reading, repeatable, writing } from './rules.ts';

const tag = 'Chatapp channels';
const oneChannel = Type.Object({ channelId: id('channel') });

/** What the provider sends at once. */
const maxWebhookBytes = 3 * 1_048_576;

export const chatappOperations = {
  connectChatapp: {
    method: 'POST',
    path: '/channels/{channelId}/chatapp/connect',
    tag,
    summary: 'Connect a chatapp channel to a phone number at the provider',
    description:
      'By an access token, or by the code of an embedded sign-up, which lives 30 seconds. The token is checked, the app is subscribed to the business account, the number is registered, and its webhooks are directed to this channel. What a failed attempt has changed at the provider is taken back. `details.step` says which step failed, `details.code` is the error code of the provider.',
    auth: 'project',
    access: access.connectChannels,
    params: oneChannel,
    body: ConnectChatappBody,
    success: { status: 200, body: ChatappStatus },
    errors: [...writing, ...repeatable, 'svc/chatapp/connect_failed', 'svc/runtime/conflict'],
    rate: 'write',
    idempotency: 'accepted',
  },
  disconnectChatapp: {
    method: 'POST',
    path: '/channels/{channelId}/chatapp/disconnect',
    tag,
    summary: 'Disconnect a chatapp channel; repeating it changes nothing',
    description:
      'The number stays registered at the provider. Its webhooks no longer come here, and the access token is deleted.',
    auth: 'project',
    access: access.connectChannels,
    params: oneChannel,
    body: DisconnectChatappBody,
    success: { status: 200, body: ChatappStatus },
    errors: [...writing, ...repeatable, 'svc/runtime/conflict'],
    rate: 'write',
    idempotency: 'accepted',
  },
  getChatappStatus: {
    method: 'GET',
    path: '/channels/{channelId}/chatapp/status',
    tag,
    summary: 'Read how a chatapp channel is connected',
    auth: 'project',
    access: access.readChannels,
    params: oneChannel,
    query: MaybeProjectQuery,
    success: { status: 200, body: ChatappStatus },
    errors: [...reading, 'svc/runtime/conflict'],
    rate: 'read',
    idempotency: 'none',
  },
  verifyChatappWebhook: {
    method: 'GET',
    path: '/channels/{channelId}/chatapp/webhook',
    tag,
    summary: "Answer the provider's challenge",
    description:
      'Called by the provider when the webhook address is set, also before the channel is connected. The verify token is that of a partner app of the workspace, or the one that Skein gave to the provider when it connected the channel.',
    auth: 'none',
    params: oneChannel,
    query: ChatappWebhookQuery,
    success: { status: 200, body: Type.String(), contentType: 'text/plain' },
    errors: [...always, ...checked, ...absent, 'svc/chatapp/invalid_verify_token'],
    rate: 'none',
    idempotency: 'none',
  },
  receiveChatappWebhook: {
    method: 'POST',
    path: '/channels/{channelId}/chatapp/webhook',
    tag,
    summary: "Take the provider's events",
    description:
      'Called by the provider. `X-Hub-Signature-256` is the HMAC-SHA256 of the raw body with the secret of the app that the channel is connected with. The events are stored before the answer, and worked through after it.',
    auth: 'none',
    params: oneChannel,
    rawBody: { maxBytes: maxWebhookBytes },
    success: { status: 200, body: Accepted },
    errors: [
      ...always,
      ...checked,
      ...absent,
      'svc/chatapp/invalid_signature',
      'svc/chatapp/channel_not_connected',
      'svc/chatapp/webhook_identity_mismatch',
    ],
    rate: 'none',
    idempotency: 'none',
    repeatEffect: 'Each of its messages is taken once, by the id that the provider gave it.',
  },
} as const satisfies Record<string, Operation>;
