/** Typing and reading: what operators show each other of what they do at a thread. */
import Type from 'typebox';
import type { Operation } from '../operation.ts';
import { id } from '../resources/fields.ts';
import { ReadCursor, ReadCursorBody, TypingBody } from '../resources/presence.ts';
import { access, repeatable, writing } from './rules.ts';

const tag = 'Threads';
const oneThread = Type.Object({ threadId: id('thread') });

export const presenceOperations = {
  setTyping: {
    method: 'POST',
    path: '/threads/{threadId}/typing',
    tag,
    summary: 'Show on the Console stream that somebody types',
    description:
      'Nothing is stored: who is on the stream now sees thread.typing.started or .stopped, without a number. While a user types, no agent answers by itself.',
    auth: 'project',
    access: access.writeThreads,
    params: oneThread,
    body: TypingBody,
    success: { status: 204, body: null },
    errors: [...writing, ...repeatable],
    rate: 'write',
    idempotency: 'accepted',
  },
  moveReadCursor: {
    method: 'PUT',
    path: '/threads/{threadId}/read-cursor',
    tag,
    summary: 'Say how far you have read a thread',
    description:
      'Each user has one cursor for each thread; with an API key it is that of the user who made the key. It never moves back: the answer is where it stands. It cannot lie beyond the last event of the thread.',
    auth: 'project',
    access: access.writeThreads,
    params: oneThread,
    body: ReadCursorBody,
    success: { status: 200, body: ReadCursor },
    errors: [...writing],
    rate: 'write',
    idempotency: 'none',
  },
} as const satisfies Record<string, Operation>;
