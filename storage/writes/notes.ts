/** Rows of `thread_notes`. */
import { statement, type Write } from '../statements/index.ts';

const insert = statement(
  'note.insert',
  22,
  {
    thread_note_id: 'text',
    project_id: 'text',
    environment_id: 'text',
    thread_id: 'text',
    author_user_id: 'text',
    body: 'text',
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
  },
  input => `
    insert into thread_notes (thread_note_id, project_id, environment_id, thread_id, author_user_id, body, created_at, updated_at)
    select * from ${input}`,
);

export interface NoteRow {
  readonly threadNoteId: string;
  readonly projectId: string;
  readonly environmentId: string;
  readonly threadId: string;
  readonly authorUserId: string;
  readonly body: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A new note. */
export function insertNote(row: NoteRow): Write {
  return {
    statement: insert,
    values: [
      row.threadNoteId,
      row.projectId,
      row.environmentId,
      row.threadId,
      row.authorUserId,
      row.body,
      row.createdAt,
      row.updatedAt,
    ],
  };
}

/**
 * One statement for both, so that a batch takes one change of a note: of two statements, one would run for all of its commits before the
 * other, and a note could be changed after it was deleted.
 */
const change = statement(
  'note.change',
  32,
  { thread_note_id: 'text', thread_id: 'text', body: 'text', updated_at: 'timestamptz' },
  input => `
    with rows as materialized (select * from ${input}), updated as (
      update thread_notes n set body = r.body, updated_at = r.updated_at
      from rows r where n.thread_note_id = r.thread_note_id and n.thread_id = r.thread_id and r.body is not null
      returning n.thread_note_id
    ), deleted as (
      delete from thread_notes n using rows r
      where n.thread_note_id = r.thread_note_id and n.thread_id = r.thread_id and r.body is null
      returning n.thread_note_id
    )
    select skein_fence('note', array(
      select thread_note_id from rows except (select thread_note_id from updated union all select thread_note_id from deleted)))`,
);

/** A deleted note makes the commit fail with `Duplicate('note', threadNoteId)`. */
export function updateNote(row: Pick<NoteRow, 'threadNoteId' | 'threadId' | 'body' | 'updatedAt'>): Write {
  return {
    statement: change,
    key: row.threadNoteId,
    unique: true,
    values: [row.threadNoteId, row.threadId, row.body, row.updatedAt],
  };
}

/** As `updateNote`: of two requests that delete a note one is told that it is gone. */
export function deleteNote(row: Pick<NoteRow, 'threadNoteId' | 'threadId'>): Write {
  return {
    statement: change,
    key: row.threadNoteId,
    unique: true,
    values: [row.threadNoteId, row.threadId, null, null],
  };
}
