import Type from 'typebox';
import type { Operation } from '../operation.ts';
import {
  AssignThreadBody,
  CreateThreadBody,
  id,
  createList,
  ListThreadsQuery,
  MaybeProjectQuery,
  Thread,
  UpdateThreadBody,
} from '../resources/index.ts';
import { access, listing, reading, repeatableOnly, shortPages, writing } from './rules.ts';

const tag = 'Threads';
const threadOrders =
  'Name a filter several times for several values: a thread fits that has one of them. While messages come, a thread moves within the orders by `lastMessageAt` and `updatedAt`: with newest first, one that gets a message before it was shown is above the page already, and is not shown any more. To see every thread, sort by `createdAt`, which shows each one once; or by `updatedAt` with `order=asc`, which shows one again that has changed since.';

const searching =
  'With `q`, the answer is one page of the best threads, by their messages, their subjects and the names of their participants, new messages before old ones; `match` says what was found. `"hello world"` are words in a row, `or` and `-word` have their usual meaning. A message is found some seconds after it was written. There is no second page, and `sort` and `order` do not count.';

const oneThread = Type.Object({ threadId: id('thread') });

export const threadOperations = {
  createThread: {
    method: 'POST',
    path: '/threads',
    tag,
    summary: 'Create a thread',
    description:
      'A channel has one thread per externalRef: when there is one already, 409 svc/runtime/conflict names it in details.threadId.',
    auth: 'project',
    access: access.writeThreads,
    body: CreateThreadBody,
    success: { status: 201, body: Thread },
    errors: [...writing, ...repeatableOnly, 'svc/runtime/conflict'],
    rate: 'write',
    idempotency: 'required',
  },
  listThreads: {
    method: 'GET',
    path: '/threads',
    tag,
    summary: 'List threads, newest first',
    description: `${threadOrders}\n\n${searching}\n\n${shortPages}`,
    auth: 'project',
    access: access.readThreads,
    query: ListThreadsQuery,
    success: { status: 200, body: createList(Thread) },
    errors: [...listing],
    rate: 'read',
    idempotency: 'none',
  },
  getThread: {
    method: 'GET',
    path: '/threads/{threadId}',
    tag,
    summary: 'Read a thread',
    auth: 'project',
    access: access.readThreads,
    params: oneThread,
    query: MaybeProjectQuery,
    success: { status: 200, body: Thread },
    errors: [...reading],
    rate: 'read',
    idempotency: 'none',
  },
  updateThread: {
    method: 'PATCH',
    path: '/threads/{threadId}',
    tag,
    summary:
      'Change a thread: its status, agent, tags, fields, participant, subject, or until when it is snoozed',
    description:
      '`customFields` and `metadata` are merged as JSON Merge Patch says (RFC 7396): names that are absent stay, null removes one. `archived: false` is the same as the status `open`, for an archived thread. With `expectedSequence`, the `sequence` that you have seen, it is refused with 409 `svc/runtime/conflict` when the participant has written since, and `details.sequence` is that of now: so nobody closes or snoozes a thread over a message that they have not seen.',
    auth: 'project',
    access: access.writeThreads,
    params: oneThread,
    body: UpdateThreadBody,
    success: { status: 200, body: Thread },
    errors: [...writing, 'svc/runtime/conflict'],
    rate: 'write',
    idempotency: 'none',
  },
  archiveThread: {
    method: 'DELETE',
    path: '/threads/{threadId}',
    tag,
    summary: 'Archive a thread',
    description:
      'Nothing is deleted: it is the same as the status `archived`. `archived: false` by PATCH, or an inbound message, brings it back.',
    auth: 'project',
    access: access.writeThreads,
    params: oneThread,
    query: MaybeProjectQuery,
    success: { status: 204, body: null },
    errors: [...writing],
    rate: 'write',
    idempotency: 'none',
  },
  assignThread: {
    method: 'PUT',
    path: '/threads/{threadId}/assignment',
    tag,
    summary: 'Assign a thread to a user who may answer in it, or release it',
    description: 'Also 404 for a user who is not an operator or developer of the project.',
    auth: 'project',
    access: access.writeThreads,
    params: oneThread,
    body: AssignThreadBody,
    success: { status: 200, body: Thread },
    errors: [...writing],
    rate: 'write',
    idempotency: 'none',
  },
} as const satisfies Record<string, Operation>;
