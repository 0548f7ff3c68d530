/** What a thread writes when its personal data is erased, and when its participant has a name again. */
import { statement, type Write } from '../statement.ts';

// The reference is a fixed column of the snapshot, which no commit writes twice: here it is taken away, and below given back.
const askErasure = statement(
  'thread.erase',
  25,
  {
    thread_id: 'text',
    project_id: 'text',
    environment_id: 'text',
    through: 'bigint',
    requested_at: 'timestamptz',
  },
  input => `
    with asked as materialized (
      select * from ${input}
    ), nameless as (
      update threads t set external_ref = null from asked where t.thread_id = asked.thread_id
    )
    insert into erasures as e (thread_id, project_id, environment_id, through, requested_at, due_at)
    select thread_id, project_id, environment_id, through, requested_at, requested_at from asked
    on conflict (thread_id) do update set through = excluded.through, requested_at = excluded.requested_at,
        due_at = excluded.due_at, attempts = 0, last_error = null
      where e.through < excluded.through`,
);

export interface ErasureRow {
  readonly threadId: string;
  readonly projectId: string;
  readonly environmentId: string;
  /** The thread's number of the last event that is erased. */
  readonly through: number;
  /** ISO 8601. */
  readonly requestedAt: string;
}

/** The thread's own row loses its participant's name; the rest is done after the commit (storage/erasures.ts). */
export function eraseThread(row: ErasureRow): Write {
  const { threadId, projectId, environmentId, through, requestedAt } = row;
  return {
    statement: askErasure,
    key: threadId,
    values: [threadId, projectId, environmentId, through, requestedAt],
  };
}

const name = statement(
  'thread.external_ref',
  26,
  { thread_id: 'text', external_ref: 'text' },
  input => `
    update threads t set external_ref = input.external_ref from ${input} where t.thread_id = input.thread_id`,
);

/** The participant of a thread that has lost its name has written again. */
export function nameParticipant(threadId: string, externalRef: string): Write {
  return { statement: name, key: threadId, values: [threadId, externalRef] };
}
