/** Channels (a row is its actor's snapshot), what they were asked to send, and receipts that came too early. */
import { defineEntity, p } from '@mikro-orm/core';
import { big, id, instant, jsonText, metadata } from './columns.ts';

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
