/** Reads of notes. Every statement names the thread, the project and the environment: what is outside reads as absent. */
import type { ThreadNote } from '../../protocol/resources/note.ts';
import type { Database } from '../database.ts';
import type { ThreadKey } from './messages.ts';

type Queries = Pick<Database, 'query'>;

interface NoteRecord extends Omit<ThreadNote, 'createdAt' | 'updatedAt'> {
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

const columns = `
  n.thread_note_id as "threadNoteId", n.project_id as "projectId", n.thread_id as "threadId",
  n.author_user_id as "authorUserId", n.body, n.created_at as "createdAt", n.updated_at as "updatedAt"`;

function toNote(record: NoteRecord): ThreadNote {
  return {
    ...record,
    createdAt: record.createdAt.toISOString(),
    updatedAt: record.updatedAt.toISOString(),
  };
}

const ofThread = 'n.thread_id = $1 and n.project_id = $2 and n.environment_id = $3';

/** Undefined where that thread of that place has no such note. */
export async function findNote(
  db: Queries,
  { threadId, projectId, environmentId, threadNoteId }: ThreadKey & { readonly threadNoteId: string },
): Promise<ThreadNote | undefined> {
  const [row] = await db.query<NoteRecord>(
    `select ${columns} from thread_notes n where ${ofThread} and n.thread_note_id = $4`,
    [threadId, projectId, environmentId, threadNoteId],
    'notes.find',
  );
  return row === undefined ? undefined : toNote(row);
}

export interface NotePage extends ThreadKey {
  /** Where the page before ended: its last creation in epoch milliseconds, and id. */
  readonly after: { readonly at: number; readonly threadNoteId: string } | undefined;
  readonly limit: number;
}

const selectPage = `
  select ${columns} from thread_notes n
  where ${ofThread} and ($4::timestamptz is null or (n.created_at, n.thread_note_id) < ($4, $5::text))
  order by n.created_at desc, n.thread_note_id desc limit $6`;

/** A page of a thread's notes, newest first; empty also where there is no such thread. */
export async function notePage(db: Queries, page: NotePage): Promise<ThreadNote[]> {
  const { threadId, projectId, environmentId, after, limit } = page;
  const at = after === undefined ? null : new Date(after.at);
  const values = [threadId, projectId, environmentId, at, after?.threadNoteId ?? null, limit];
  return (await db.query<NoteRecord>(selectPage, values, 'notes.page')).map(toNote);
}
