/** Reads of notes. Every statement names the thread, the project and the environment: what lies outside reads as absent. */
import { limitBytes, mapPage, readPage, type PageRows } from '../paging/index.ts';
import type { ThreadNote } from '../../protocol/resources/index.ts';
import type { Queries } from '../database/index.ts';
import type { ThreadKey } from './threads.ts';

export interface NoteRecord extends Omit<ThreadNote, 'createdAt' | 'updatedAt'> {
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export const noteColumns = `
  n.thread_note_id as "threadNoteId", n.project_id as "projectId", n.thread_id as "threadId",
  n.author_user_id as "authorUserId", n.body, n.mentions, n.created_at as "createdAt", n.updated_at as "updatedAt"`;

export function toNote(record: NoteRecord): ThreadNote {
  return {
    ...record,
    createdAt: record.createdAt.toISOString(),
    updatedAt: record.updatedAt.toISOString(),
  };
}

const inThread = 'n.thread_id = $1 and n.project_id = $2 and n.environment_id = $3';

/** Undefined where that thread of that environment has no such note. */
export async function findNote(
  db: Queries,
  { threadId, projectId, environmentId, threadNoteId }: ThreadKey & { readonly threadNoteId: string },
): Promise<ThreadNote | undefined> {
  const [row] = await db.query<NoteRecord>(
    `select ${noteColumns} from thread_notes n where ${inThread} and n.thread_note_id = $4`,
    [threadId, projectId, environmentId, threadNoteId],
    'notes.find',
  );
  return row === undefined ? undefined : toNote(row);
}

export interface NotePage extends ThreadKey {
  /** Where the previous page ended: the creation of its last note, in epoch milliseconds, and the id. */
  readonly after: { readonly at: number; readonly threadNoteId: string } | undefined;
  readonly limit: number;
}

const selectPage = limitBytes(`
  select ${noteColumns} from thread_notes n
  where ${inThread} and ($4::timestamptz is null or (n.created_at, n.thread_note_id) < ($4, $5::text))
  order by n.created_at desc, n.thread_note_id desc limit $6`);

/** A page of a thread's notes, newest first; empty also where there is no such thread. */
export async function notePage(db: Queries, page: NotePage): Promise<PageRows<ThreadNote>> {
  const { threadId, projectId, environmentId, after, limit } = page;
  const at = after === undefined ? null : new Date(after.at);
  const values = [threadId, projectId, environmentId, at, after?.threadNoteId ?? null, limit + 1];
  return mapPage(await readPage<NoteRecord>(db, selectPage, values, limit, 'notes.page'), toNote);
}
