/** Typing and reading: what operators see of each other on a thread. */
import Type from 'typebox';
import type { Operation } from '../operation.ts';
import { id, ReadCursor, ReadCursorBody, TypingBody } from '../resources/index.ts';
import { access, repeatable, writing } from './rules.ts';

const tag = 'Threads';
const oneThread = Type.Object({ threadId: id('thread') });

export const presenceOperations = {
  setTyping: {
    method: 'POST',
    path: '/threads/{threadId}/typing',
    tag,
    summary: 'Show on the Console stream that a user is typing',
    description:
      'Nothing is stored: the connected clients of the stream get thread.typing.started or .stopped, without a number. While a user is typing, agents do not answer by themselves.',
    auth: 'project',
    access: access.writeThreads,
    params: oneThread,
    body: TypingBody,
    success: { status: 204, body: null },
    errors: [...writing, ...repeatable],
    whileFull: true,
    rate: 'write',
    idempotency: 'accepted',
  },
  moveReadCursor: {
    method: 'PUT',
    path: '/threads/{threadId}/read-cursor',
    tag,
    summary: 'Set how far you have read a thread',
    description:
      'Each user has one cursor for each thread; with an API key it is that of the user who created the key. It never moves back: the answer is its present position. It cannot be beyond the last event of the thread. The participant learns that their messages were read, where the channel shows it, unless the reader may not answer them.',
    auth: 'project',
    access: access.moveReadCursor,
    params: oneThread,
    body: ReadCursorBody,
    success: { status: 200, body: ReadCursor },
    errors: [...writing],
    rate: 'write',
    idempotency: 'none',
  },
} as const satisfies Record<string, Operation>;
