/** Rows of `thread_notes`, and those of `note_mentions` that belong to them. */
import { statement, type Write } from '../statements/index.ts';

const insert = statement(
  'note.insert',
  23,
  {
    thread_note_id: 'text',
    project_id: 'text',
    environment_id: 'text',
    thread_id: 'text',
    author_user_id: 'text',
    body: 'text',
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
    mentions: 'text[]',
  },
  input => `
    with rows as materialized (select * from ${input}), mentioned as (
      insert into note_mentions (thread_note_id, user_id, project_id, environment_id, thread_id, mentioned_at)
      select r.thread_note_id, u.user_id, r.project_id, r.environment_id, r.thread_id, r.created_at
      from rows r cross join unnest(r.mentions) as u (user_id)
    )
    insert into thread_notes (thread_note_id, project_id, environment_id, thread_id, author_user_id, body, created_at, updated_at, mentions)
    select * from rows`,
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
  /** User ids. */
  readonly mentions: readonly string[];
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
      row.mentions,
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
  {
    thread_note_id: 'text',
    thread_id: 'text',
    body: 'text',
    updated_at: 'timestamptz',
    mentions: 'text[]',
  },
  input => `
    with rows as materialized (select * from ${input}), updated as (
      update thread_notes n set body = r.body, updated_at = r.updated_at, mentions = r.mentions
      from rows r where n.thread_note_id = r.thread_note_id and n.thread_id = r.thread_id and r.body is not null
      returning n.thread_note_id, n.project_id, n.environment_id, n.thread_id, n.updated_at, n.mentions
    ), deleted as (
      delete from thread_notes n using rows r
      where n.thread_note_id = r.thread_note_id and n.thread_id = r.thread_id and r.body is null
      returning n.thread_note_id
    ), mentioned as (
      insert into note_mentions (thread_note_id, user_id, project_id, environment_id, thread_id, mentioned_at)
      select u.thread_note_id, m.user_id, u.project_id, u.environment_id, u.thread_id, u.updated_at
      from updated u cross join unnest(u.mentions) as m (user_id)
      on conflict (thread_note_id, user_id) do nothing
    ), forgotten as (
      delete from note_mentions m using rows r
      where m.thread_note_id = r.thread_note_id and m.thread_id = r.thread_id
        and (r.body is null or m.user_id <> all (r.mentions))
    )
    select skein_fence('note', array(
      select thread_note_id from rows except (select thread_note_id from updated union all select thread_note_id from deleted)))`,
);

/** A deleted note makes the commit fail with `Duplicate('note', threadNoteId)`. */
export function updateNote(
  row: Pick<NoteRow, 'threadNoteId' | 'threadId' | 'body' | 'updatedAt' | 'mentions'>,
): Write {
  return {
    statement: change,
    key: row.threadNoteId,
    unique: true,
    values: [row.threadNoteId, row.threadId, row.body, row.updatedAt, row.mentions],
  };
}

/** As `updateNote`: of two requests that delete a note one is told that it is gone. */
export function deleteNote(row: Pick<NoteRow, 'threadNoteId' | 'threadId'>): Write {
  return {
    statement: change,
    key: row.threadNoteId,
    unique: true,
    values: [row.threadNoteId, row.threadId, null, null, null],
  };
}
