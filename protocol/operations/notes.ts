/** Notes that operators leave on a thread. */
import Type from 'typebox';
import type { Operation } from '../operation.ts';
import {
  CreateNoteBody,
  id,
  createList,
  MaybeProjectQuery,
  NestedListQuery,
  ThreadNote,
  UpdateNoteBody,
} from '../resources/index.ts';
import { access, listing, repeatable, writing } from './rules.ts';

const tag = 'Notes';
const oneThread = Type.Object({ threadId: id('thread') });
const oneNote = Type.Object({ threadId: id('thread'), threadNoteId: id('note') });

export const noteOperations = {
  listNotes: {
    method: 'GET',
    path: '/threads/{threadId}/notes',
    tag,
    summary: "List a thread's notes, newest first",
    auth: 'project',
    access: access.readThreads,
    params: oneThread,
    query: NestedListQuery,
    success: { status: 200, body: createList(ThreadNote) },
    errors: [...listing],
    rate: 'read',
    idempotency: 'none',
  },
  createNote: {
    method: 'POST',
    path: '/threads/{threadId}/notes',
    tag,
    summary: 'Write a note on a thread',
    description:
      'With an API key, the author is the user who created the key. Users in `mentions` are told: see listMentions. One who is not in the project is a 404.',
    auth: 'project',
    access: access.writeThreads,
    params: oneThread,
    body: CreateNoteBody,
    success: { status: 201, body: ThreadNote },
    errors: [...writing, ...repeatable],
    rate: 'write',
    idempotency: 'accepted',
  },
  updateNote: {
    method: 'PATCH',
    path: '/threads/{threadId}/notes/{threadNoteId}',
    tag,
    summary: 'Change a note; its author stays',
    auth: 'project',
    access: access.writeThreads,
    params: oneNote,
    body: UpdateNoteBody,
    success: { status: 200, body: ThreadNote },
    // Another request has deleted the note at the same moment.
    errors: [...writing, 'svc/runtime/conflict'],
    rate: 'write',
    idempotency: 'none',
  },
  deleteNote: {
    method: 'DELETE',
    path: '/threads/{threadId}/notes/{threadNoteId}',
    tag,
    summary: 'Delete a note',
    auth: 'project',
    access: access.writeThreads,
    params: oneNote,
    query: MaybeProjectQuery,
    success: { status: 204, body: null },
    errors: [...writing, 'svc/runtime/conflict'],
    rate: 'write',
    idempotency: 'none',
  },
} as const satisfies Record<string, Operation>;
