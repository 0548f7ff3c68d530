import Type from 'typebox';
import type { Operation } from '../operation.ts';
import { id } from '../resources/fields.ts';
import { listOf, MaybeProjectQuery } from '../resources/list.ts';
import {
  AssignThreadBody,
  CreateThreadBody,
  ListThreadsQuery,
  Thread,
  UpdateThreadBody,
} from '../resources/thread.ts';
import { access, listing, reading, repeatableOnly, shortPages, writing } from './rules.ts';

const tag = 'Threads';
const oneThread = Type.Object({ threadId: id('thread') });

export const threadOperations = {
  createThread: {
    method: 'POST',
    path: '/threads',
    tag,
    summary: 'Create a thread',
    description:
      'A channel holds one thread per externalRef: when it is taken, 409 svc/runtime/conflict names it in details.threadId.',
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
    description: shortPages,
    auth: 'project',
    access: access.readThreads,
    query: ListThreadsQuery,
    success: { status: 200, body: listOf(Thread) },
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
    summary: 'Change the status, agent, agent mode, tags or custom fields of a thread',
    auth: 'project',
    access: access.writeThreads,
    params: oneThread,
    body: UpdateThreadBody,
    success: { status: 200, body: Thread },
    errors: [...writing, 'svc/runtime/conflict'],
    rate: 'write',
    idempotency: 'none',
  },
  assignThread: {
    method: 'PUT',
    path: '/threads/{threadId}/assignment',
    tag,
    summary: 'Assign a thread to somebody who may answer in it, or release it',
    description: '404 also for a user who is no operator or developer of the project.',
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
