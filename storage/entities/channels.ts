/** Channels (a row is its actor's snapshot), what they were asked to send, what their provider sent, and receipts that came too early. */
import { defineEntity, p } from '@mikro-orm/core';
import { big, id, instant, jsonText, metadata, words } from './columns.ts';

export const Channel = defineEntity({
  name: 'Channel',
  tableName: 'channels',
  properties: {
    channelId: id().primary(),
    projectId: id(),
    environmentId: id(),
    name: p.text(),
    kind: p.enum(['sandbox', 'custom', 'chatapp'] as const),
    status: p.enum(['disconnected', 'connecting', 'connected', 'error'] as const),
    defaultAgentId: id().nullable(),
    /** The partner app a chatapp channel uses: what refuses that app's revocation (svc/partner_app/in_use). */
    partnerAppCredentialId: id().nullable(),
    /** The provider's id of the number that a chatapp channel is connected to. */
    phoneNumberId: id().nullable(),
    /** How a chatapp channel is connected, and is being connected. Its secrets are JWE, contexts `channels/<id>/access_token` and the like. */
    chatapp: p.json<unknown>().nullable(),
    metadata: metadata(),
    createdAt: instant(),
    updatedAt: instant(),
    state: p.json<unknown>(),
    version: big(),
  },
  indexes: [
    { name: 'channels_listed', properties: ['projectId', 'environmentId', 'createdAt', 'channelId'] },
    {
      name: 'channels_partner_app',
      properties: ['partnerAppCredentialId'],
      where: 'partner_app_credential_id is not null',
    },
  ],
  uniques: [
    {
      name: 'channels_phone_number',
      properties: ['phoneNumberId'],
      where: 'phone_number_id is not null',
    },
  ],
});

/** Something became of a channel's connection. Entries are only ever added. */
export const ChannelChange = defineEntity({
  name: 'ChannelChange',
  tableName: 'channel_changes',
  properties: {
    channelId: id().primary(),
    eventId: id().primary(),
    projectId: id(),
    environmentId: id(),
    eventName: id(),
    status: p.text(),
    previousStatus: p.text().nullable(),
    /** Why it has the status `error`. */
    error: p.json<unknown>().nullable(),
    tokenExpiresAt: instant().nullable(),
    actor: p.json<unknown>(),
    occurredAt: instant(),
  },
  indexes: [{ name: 'channel_changes_occurred', properties: ['occurredAt'] }],
});

/** What a custom channel has to do; open until acknowledged. */
export const ChannelCommand = defineEntity({
  name: 'ChannelCommand',
  tableName: 'channel_commands',
  properties: {
    eventId: id().primary(),
    projectId: id(),
    environmentId: id(),
    channelId: id(),
    eventName: id(),
    occurredAt: instant(),
    messageId: id().nullable(),
    data: jsonText(),
    acknowledgedAt: instant().nullable(),
  },
  indexes: [
    {
      name: 'channel_commands_open',
      properties: ['channelId', 'eventId'],
      where: 'acknowledged_at is null',
    },
    { name: 'channel_commands_occurred', properties: ['occurredAt'] },
  ],
});

/** A receipt for a provider id that no message has yet; applied when the message appears, dropped after 24 h. */
export const ParkedReceipt = defineEntity({
  name: 'ParkedReceipt',
  tableName: 'parked_receipts',
  properties: {
    channelId: id().primary(),
    externalMessageId: id().primary(),
    status: id().primary(),
    occurredAt: instant(),
    payload: p.json<unknown>(),
    expiresAt: instant(),
  },
  indexes: [{ name: 'parked_receipts_expires', properties: ['expiresAt'] }],
});

/** A webhook of the chat provider, as it came; kept for 7 days (storage/chatapp). */
export const ChatappWebhook = defineEntity({
  name: 'ChatappWebhook',
  tableName: 'chatapp_webhooks',
  properties: {
    /** The request that brought it. */
    requestId: id().primary(),
    projectId: id(),
    environmentId: id(),
    channelId: id(),
    /** The account and the number that the channel was connected to then. */
    wabaId: id(),
    phoneNumberId: id(),
    receivedAt: instant(),
    body: p.blob(),
    /** Those that are derived from the names in it: erased with any of them. */
    threadIds: words(),
    /** How working through it has failed. */
    error: p.text().nullable(),
  },
  indexes: [
    { name: 'chatapp_webhooks_threads', properties: ['threadIds'], type: 'gin' },
    { name: 'chatapp_webhooks_by_age', properties: ['receivedAt'] },
  ],
});

/** A webhook that is still to be processed. */
export const ChatappOpenWebhook = defineEntity({
  name: 'ChatappOpenWebhook',
  tableName: 'chatapp_open_webhooks',
  properties: {
    channelId: id().primary(),
    requestId: id().primary(),
    /** Of the body. */
    bytes: p.integer(),
    /** How often processing it has failed. */
    attempts: p.integer().default(0),
    /** When it is retried; null: it has not failed. */
    nextAt: instant().nullable(),
    /** How often an actor has refused it. */
    refusals: p.integer().default(0),
  },
});

/** Another name by which the provider calls a participant: it leads to the thread that they have. */
export const ChatappAlias = defineEntity({
  name: 'ChatappAlias',
  tableName: 'chatapp_aliases',
  properties: {
    channelId: id().primary(),
    alias: id().primary(),
    projectId: id(),
    environmentId: id(),
    threadId: id(),
    externalRef: id(),
    createdAt: instant(),
  },
  indexes: [{ name: 'chatapp_aliases_thread', properties: ['threadId'] }],
});

/** A message that the provider has yet to take: see storage/chatapp/sends.ts. */
export const ChatappSend = defineEntity({
  name: 'ChatappSend',
  tableName: 'chatapp_sends',
  properties: {
    messageId: id().primary(),
    projectId: id(),
    environmentId: id(),
    channelId: id(),
    threadId: id(),
    /** Of the message: those of a thread leave in this order. */
    sequence: big(),
    status: p.enum(['queued', 'sending', 'unknown'] as const),
    createdAt: instant(),
    nextAt: instant(),
    startedAt: instant().nullable(),
    attempts: p.integer().default(0),
    error: p.json<Record<string, unknown>>().nullable(),
  },
  indexes: [
    { name: 'chatapp_sends_due', properties: ['channelId', 'nextAt'] },
    { name: 'chatapp_sends_thread', properties: ['threadId', 'sequence'] },
  ],
});

/** A file of a message that the provider has and this service has not fetched yet. */
export const ChatappFile = defineEntity({
  name: 'ChatappFile',
  tableName: 'chatapp_files',
  properties: {
    attachmentId: id().primary(),
    projectId: id(),
    environmentId: id(),
    channelId: id(),
    threadId: id(),
    messageId: id(),
    providerMediaId: p.text(),
    mimeType: p.text(),
    filename: p.text().nullable(),
    sha256: p.text().nullable(),
    createdAt: instant(),
    nextAt: instant(),
    attempts: p.integer().default(0),
  },
  indexes: [
    { name: 'chatapp_files_due', properties: ['channelId', 'nextAt'] },
    { name: 'chatapp_files_thread', properties: ['threadId'] },
  ],
});

/** A file of ours that a number has given to the provider, which knows it by this id until it expires. */
export const ChatappUpload = defineEntity({
  name: 'ChatappUpload',
  tableName: 'chatapp_uploads',
  properties: {
    phoneNumberId: id().primary(),
    attachmentId: id().primary(),
    providerMediaId: p.text(),
    expiresAt: instant(),
  },
  indexes: [{ name: 'chatapp_uploads_expired', properties: ['expiresAt'] }],
});
