import Type from 'typebox';
import type { Operation } from '../operation.ts';
import {
  CreateMessageBody,
  CreateMessageQuery,
  FindMessagesQuery,
  id,
  ListMessagesQuery,
  createList,
  MaybeProjectQuery,
  Message,
  MessageDryRun,
  MessageTimeline,
} from '../resources/index.ts';
import { access, listing, reading, repeatableOnly, writing } from './rules.ts';

const tag = 'Messages';
const oneThread = Type.Object({ threadId: id('thread') });

export const messageOperations = {
  listMessages: {
    method: 'GET',
    path: '/threads/{threadId}/messages',
    tag,
    summary: "List a thread's messages by sequence",
    auth: 'project',
    access: access.readMessages,
    params: oneThread,
    query: ListMessagesQuery,
    success: { status: 200, body: createList(Message) },
    errors: [...listing],
    rate: 'read',
    idempotency: 'none',
  },
  findMessages: {
    method: 'GET',
    path: '/messages',
    tag,
    summary: 'Find messages of the environment by an id: ours, or that of the channel provider',
    description:
      "A provider's id is unique in its channel alone, so that several channels may each have a message.",
    auth: 'project',
    access: access.readMessages,
    query: FindMessagesQuery,
    success: { status: 200, body: createList(Message) },
    errors: [...listing],
    rate: 'read',
    idempotency: 'none',
  },
  getMessage: {
    method: 'GET',
    path: '/threads/{threadId}/messages/{messageId}',
    tag,
    summary: 'Read a message',
    auth: 'project',
    access: access.readMessages,
    params: Type.Object({ threadId: id('thread'), messageId: id('message') }),
    query: MaybeProjectQuery,
    success: { status: 200, body: Message },
    errors: [...reading],
    rate: 'read',
    idempotency: 'none',
  },
  getMessageTimeline: {
    method: 'GET',
    path: '/threads/{threadId}/messages/{messageId}/timeline',
    tag,
    summary: 'Read the timeline of a message: receipts, runs, tool calls, webhook deliveries',
    description:
      'Limited to the event log: 30 days, and the 5,000 events of the thread that follow the message.',
    auth: 'project',
    access: access.readMessages,
    params: Type.Object({ threadId: id('thread'), messageId: id('message') }),
    query: MaybeProjectQuery,
    success: { status: 200, body: MessageTimeline },
    errors: [...reading],
    rate: 'read',
    idempotency: 'none',
  },
  createMessage: {
    method: 'POST',
    path: '/threads/{threadId}/messages',
    tag,
    summary: 'Create a message in a thread',
    description:
      'Outbound messages are queued for their channel. An archived thread accepts none: 409. An inbound message reports what the participant wrote: only on custom and sandbox channels (else 409), and only by who may also write channels (a key: channels:write).',
    auth: 'project',
    access: access.writeMessages,
    params: oneThread,
    query: CreateMessageQuery,
    body: CreateMessageBody,
    success: { status: 201, body: Message },
    alternative: { status: 200, body: MessageDryRun, when: 'With dryRun=true: would it be allowed?' },
    errors: [...writing, ...repeatableOnly, 'svc/runtime/conflict', 'svc/chatapp/template_required'],
    rate: 'message',
    idempotency: 'required',
  },
} as const satisfies Record<string, Operation>;
