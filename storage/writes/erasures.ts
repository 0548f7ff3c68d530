/** What a thread writes when its personal data is erased, and when its participant has a name again. */
import { statement, type Write } from '../statements/index.ts';

// The reference is a fixed column of the snapshot, which commits write only once: it is removed here and restored below.
const requestErasure = statement(
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
    with requested as materialized (
      select * from ${input}
    ), nameless as (
      update threads t set external_ref = null from requested
      where t.thread_id = requested.thread_id and t.project_id = requested.project_id and t.environment_id = requested.environment_id
    )
    insert into erasures as e (thread_id, project_id, environment_id, through, requested_at, due_at)
    select thread_id, project_id, environment_id, through, requested_at, requested_at from requested
    on conflict (thread_id) do update set through = excluded.through, requested_at = excluded.requested_at,
        due_at = excluded.due_at, attempts = 0, last_error = null
      where e.through < excluded.through`,
);

export interface ErasureRow {
  readonly threadId: string;
  readonly projectId: string;
  readonly environmentId: string;
  /** The sequence of the last event that is erased. */
  readonly through: number;
  /** ISO 8601. */
  readonly requestedAt: string;
}

/** The thread's row loses the name of the participant; the rest is done after the commit (storage/retention/erasures.ts). */
export function eraseThread(row: ErasureRow): Write {
  const { threadId, projectId, environmentId, through, requestedAt } = row;
  return {
    statement: requestErasure,
    key: threadId,
    values: [threadId, projectId, environmentId, through, requestedAt],
  };
}

const setExternalRef = statement(
  'thread.external_ref',
  26,
  { thread_id: 'text', external_ref: 'text' },
  input => `
    update threads t set external_ref = input.external_ref from ${input} where t.thread_id = input.thread_id`,
);

/** A participant whose name was erased has written again. */
export function nameParticipant(threadId: string, externalRef: string): Write {
  return { statement: setExternalRef, key: threadId, values: [threadId, externalRef] };
}
