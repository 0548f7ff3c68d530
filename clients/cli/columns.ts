/** Columns that several tables have. */
import type { ApiKey, EventType, Message, Stitch, Thread, WebhookDelivery } from '../sdk/index.ts';
import type { Column } from './output.ts';

export const threadColumns: readonly Column<Thread>[] = [
  { title: 'THREAD', value: thread => thread.threadId },
  { title: 'STATUS', value: thread => thread.status },
  { title: 'PARTICIPANT', value: thread => thread.externalRef, isFlexible: true },
  { title: 'AGENT', value: thread => thread.agentMode },
  { title: 'TAGS', value: thread => thread.tags, isFlexible: true },
  { title: 'LAST MESSAGE', value: thread => thread.lastMessageAt },
];

export const messageColumns: readonly Column<Message>[] = [
  { title: '#', value: message => message.sequence },
  { title: 'MESSAGE', value: message => message.messageId },
  { title: 'DIRECTION', value: message => message.direction },
  { title: 'STATUS', value: message => message.status },
  { title: 'BODY', value: message => message.body, isFlexible: true },
];

export const deliveryColumns: readonly Column<WebhookDelivery>[] = [
  { title: 'DELIVERY', value: delivery => delivery.deliveryId },
  { title: 'EVENT', value: delivery => delivery.eventName, isFlexible: true },
  { title: 'STATUS', value: delivery => delivery.status },
  { title: 'ATTEMPTS', value: delivery => delivery.attemptCount },
  { title: 'ANSWER', value: delivery => delivery.responseStatus },
  { title: 'CREATED', value: delivery => delivery.createdAt },
];

export const stitchColumns: readonly Column<Stitch>[] = [
  { title: 'STITCH', value: stitch => stitch.stitchId },
  { title: 'NAME', value: stitch => stitch.name, isFlexible: true },
  { title: 'STATUS', value: stitch => stitch.status },
  { title: 'EVENTS', value: stitch => stitch.eventNames, isFlexible: true },
  { title: 'URL', value: stitch => stitch.webhookUrl, isFlexible: true },
];

export const keyColumns: readonly Column<ApiKey>[] = [
  { title: 'KEY', value: key => key.apiKeyId },
  { title: 'NAME', value: key => key.name, isFlexible: true },
  { title: 'ENVIRONMENT', value: key => key.environment },
  { title: 'PREFIX', value: key => key.keyPrefix },
  { title: 'STATUS', value: key => key.status },
  { title: 'SCOPES', value: key => key.scopes, isFlexible: true },
  { title: 'EXPIRES', value: key => key.expiresAt },
];

export const eventTypeColumns: readonly Column<EventType>[] = [
  { title: 'EVENT', value: type => type.eventName },
  { title: 'STREAM ONLY', value: type => (type.ephemeral ? 'yes' : '') },
  { title: 'WHAT', value: type => type.description, isFlexible: true },
];
