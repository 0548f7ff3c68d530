/** Notes on threads over REST (decisions section 2). */
import type { AddNote, EditNote, RemoveNote } from '../../../actors/thread/commands.ts';
import { notFound } from '../../../protocol/errors.ts';
import { newId } from '../../../protocol/ids.ts';
import type { noteOperations } from '../../../protocol/operations/notes.ts';
import { defaultPageSize } from '../../../protocol/resources/list.ts';
import type { ThreadNote } from '../../../protocol/resources/note.ts';
import type { Node } from '../../../runtime/node.ts';
import { page, type Cursors } from '../../../storage/cursor.ts';
import type { Database } from '../../../storage/database.ts';
import { findNote, notePage } from '../../../storage/reads/notes.ts';
import { findThread, placeOfThread } from '../../../storage/reads/threads.ts';
import type { Place } from '../../../storage/reads/place.ts';
import type { Call, Handlers } from '../handler.ts';
import { authorOf, userOf } from './author.ts';
import { scopeById } from './place.ts';

export interface NoteServices {
  readonly database: Pick<Database, 'query'>;
  readonly node: Pick<Node, 'ask'>;
  readonly cursors: Cursors;
}

type Found = Place & { readonly note: ThreadNote };

/** 409 for a note that somebody else deletes in the same moment. */
export function noteHandlers({ database, node, cursors }: NoteServices): Handlers<typeof noteOperations> {
  const thread = (id: string) => ({ kind: 'thread', id });

  const found = async (
    call: Pick<Call, 'caller' | 'project' | 'scopeOf'>,
    { threadId, threadNoteId }: { readonly threadId: string; readonly threadNoteId: string },
  ): Promise<Found> => {
    const { projectId, environmentId } = await scopeById(call, database, placeOfThread, threadId);
    const note = await findNote(database, { projectId, environmentId, threadId, threadNoteId });
    if (note === undefined) throw notFound();
    return { projectId, environmentId, note };
  };

  return {
    listNotes: async call => {
      const { threadId } = call.params;
      const { cursor, limit = defaultPageSize } = call.query;
      const { projectId, environmentId } = await scopeById(call, database, placeOfThread, threadId);
      const place = { projectId, environmentId };
      const scope = `notes ${environmentId} ${threadId}`;
      const key = cursor === undefined ? undefined : cursors.decode(scope, cursor);
      const after = key === undefined ? undefined : { at: Number(key[0]), threadNoteId: String(key[1]) };
      const rows = await notePage(database, { ...place, threadId, after, limit: limit + 1 });
      // A page with notes proves its thread.
      if (rows.length === 0 && (await findThread(database, place, threadId)) === undefined) throw notFound();
      return {
        body: page(rows, limit, last =>
          cursors.encode(scope, [Date.parse(last.createdAt), last.threadNoteId]),
        ),
      };
    },

    createNote: async call => {
      const { threadId } = call.params;
      const { projectId, environmentId } = await scopeById(call, database, placeOfThread, threadId);
      const command: AddNote = {
        ...{ projectId, environmentId, threadNoteId: newId('note', call.now), body: call.body.body },
        ...{ authorUserId: userOf(call), author: authorOf(call) },
      };
      return { body: await node.ask<ThreadNote>(thread(threadId), 'addNote', command, call) };
    },

    updateNote: async call => {
      const { projectId, environmentId, note } = await found(call, call.params);
      const { body } = call.body;
      const command: EditNote = { projectId, environmentId, note, body, author: authorOf(call) };
      return { body: await node.ask<ThreadNote>(thread(note.threadId), 'editNote', command, call) };
    },

    deleteNote: async call => {
      const { projectId, environmentId, note } = await found(call, call.params);
      const command: RemoveNote = { projectId, environmentId, note, author: authorOf(call) };
      await node.ask<null>(thread(note.threadId), 'removeNote', command, call);
      return {};
    },
  };
}
