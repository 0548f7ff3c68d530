/** Notes on threads. */
import type { AddNote, EditNote, RemoveNote } from '../../actors/thread/index.ts';
import { notFound } from '../../protocol/errors.ts';
import { newId } from '../../protocol/ids.ts';
import type { noteOperations } from '../../protocol/operations/index.ts';
import { defaultPageSize, type ThreadNote } from '../../protocol/resources/index.ts';
import type { ActorRef } from '../../runtime/actor/index.ts';
import type { Node } from '../../runtime/node/index.ts';
import { type Cursors, toPage } from '../../storage/paging/index.ts';
import type { Database, TenantScope } from '../../storage/database/index.ts';
import { findNote, findThread, findThreadTenant, notePage } from '../../storage/reads/index.ts';
import type { AccessCache } from '../../storage/tenancy/index.ts';
import { type Call, commitKey, type Handlers } from '../pipeline/index.ts';
import { getAuthor, getUserId } from './caller.ts';
import { resolveScope } from './tenant-scope.ts';

export interface NoteServices {
  readonly database: Pick<Database, 'query'>;
  readonly node: Pick<Node, 'ask'>;
  readonly cursors: Cursors;
  /** Who is in a project. */
  readonly access: Pick<AccessCache, 'project'>;
}

const createThreadRef = (id: string): ActorRef => ({ kind: 'thread', id });

/** 404 for somebody who is not in the project. Whoever was mentioned before may have left since. */
async function requireMembers(
  access: NoteServices['access'],
  projectId: string,
  userIds: readonly string[] = [],
  known: readonly string[] = [],
): Promise<void> {
  for (const [index, userId] of userIds.entries())
    if (!known.includes(userId) && (await access.project(userId, projectId)) === undefined)
      throw notFound(`/body/mentions/${index}`);
}

/** 409 for a note that another request deletes at the same moment. */
export function noteHandlers(services: NoteServices): Handlers<typeof noteOperations> {
  const { database, node, cursors, access } = services;
  return {
    listNotes: async call => {
      const { threadId } = call.params;
      const { cursor, limit = defaultPageSize } = call.query;
      const { projectId, environmentId } = await resolveScope(call, database, findThreadTenant, threadId);
      const tenant = { projectId, environmentId };
      const scope = `notes ${environmentId} ${threadId}`;
      const key = cursor === undefined ? undefined : cursors.decode(scope, cursor);
      const after = key === undefined ? undefined : { at: Number(key[0]), threadNoteId: String(key[1]) };
      const found = await notePage(database, { ...tenant, threadId, after, limit });
      // A page with notes proves that its thread exists.
      if (found.rows.length === 0 && (await findThread(database, tenant, threadId)) === undefined)
        throw notFound();
      return {
        body: toPage(found, last => cursors.encode(scope, [Date.parse(last.createdAt), last.threadNoteId])),
      };
    },

    createNote: async call => {
      const { threadId } = call.params;
      const { projectId, environmentId } = await resolveScope(call, database, findThreadTenant, threadId);
      const { body, mentions = [] } = call.body;
      await requireMembers(access, projectId, mentions);
      const order: AddNote = {
        projectId,
        environmentId,
        threadNoteId: newId('note', call.now),
        body,
        mentions,
        authorUserId: getUserId(call),
        author: getAuthor(call),
      };
      return {
        body: await call.once(key => {
          const command: AddNote = { ...order, ...commitKey(key) };
          return node.ask<ThreadNote>(createThreadRef(threadId), 'addNote', command, call);
        }),
      };
    },

    updateNote: async call => {
      const { projectId, environmentId, note } = await requireNote(database, call, call.params);
      const { body, mentions } = call.body;
      await requireMembers(access, projectId, mentions, note.mentions);
      const command: EditNote = { projectId, environmentId, note, body, mentions, author: getAuthor(call) };
      return { body: await node.ask<ThreadNote>(createThreadRef(note.threadId), 'editNote', command, call) };
    },

    deleteNote: async call => {
      const { projectId, environmentId, note } = await requireNote(database, call, call.params);
      const command: RemoveNote = { projectId, environmentId, note, author: getAuthor(call) };
      await node.ask<null>(createThreadRef(note.threadId), 'removeNote', command, call);
      return {};
    },
  };
}

async function requireNote(
  database: NoteServices['database'],
  call: Pick<Call, 'caller' | 'project' | 'authoriseScope'>,
  { threadId, threadNoteId }: Pick<ThreadNote, 'threadId' | 'threadNoteId'>,
): Promise<TenantScope & { readonly note: ThreadNote }> {
  const { projectId, environmentId } = await resolveScope(call, database, findThreadTenant, threadId);
  const note = await findNote(database, { projectId, environmentId, threadId, threadNoteId });
  if (note === undefined) throw notFound();
  return { projectId, environmentId, note };
}
