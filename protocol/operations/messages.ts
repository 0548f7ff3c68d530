import Type from 'typebox';
import type { Operation } from '../operation.ts';
import { id } from '../resources/fields.ts';
import { listOf, MaybeProjectQuery } from '../resources/list.ts';
import {
  CreateMessageBody,
  CreateMessageQuery,
  ListMessagesQuery,
  Message,
  MessageDryRun,
} from '../resources/message.ts';
import { MessageTimeline } from '../resources/timeline.ts';
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
    success: { status: 200, body: listOf(Message) },
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
    summary: 'Read what became of a message: receipts, runs, tool calls, webhook deliveries',
    description:
      'As far as the event log reaches: 30 days, and the 5,000 events of the thread that followed the message.',
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
    description: 'Outbound messages are queued for their channel. An archived thread takes no outbound: 409.',
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
