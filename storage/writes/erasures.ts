/** What a thread writes when its personal data is erased, and when its participant has a name again. */
import type { TenantScope } from '../database/index.ts';
import { statement, type Write } from '../statements/index.ts';

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
    insert into erasures as e (thread_id, project_id, environment_id, through, requested_at, due_at)
    select thread_id, project_id, environment_id, through, requested_at, requested_at from ${input}
    on conflict (thread_id) do update set through = excluded.through, requested_at = excluded.requested_at,
        due_at = excluded.due_at, attempts = 0, last_error = null
      where e.through < excluded.through`,
);

/** A thread with its tenant. */
interface OwnedThread extends TenantScope {
  readonly threadId: string;
}

export interface ErasureRow extends OwnedThread {
  /** The sequence of the last event that is erased. */
  readonly through: number;
  /** ISO 8601. */
  readonly requestedAt: string;
}

/** The thread's row loses the name of the participant; the rest is done after the commit (storage/retention/erasures.ts). */
export function eraseThread(row: ErasureRow): readonly Write[] {
  const { threadId, projectId, environmentId, through, requestedAt } = row;
  const request: Write = {
    statement: requestErasure,
    key: threadId,
    values: [threadId, projectId, environmentId, through, requestedAt],
  };
  return [request, nameParticipant(row, null)];
}

// The reference is a fixed column of the snapshot, which commits write only once. One statement removes and restores it: of both in a batch,
// the later commit counts.
const setExternalRef = statement(
  'thread.external_ref',
  26,
  { thread_id: 'text', project_id: 'text', environment_id: 'text', external_ref: 'text' },
  input => `
    update threads t set external_ref = input.external_ref from ${input}
    where t.thread_id = input.thread_id and t.project_id = input.project_id and t.environment_id = input.environment_id`,
);

/** A participant whose name was erased has written again. Null: their name is erased. */
export function nameParticipant(thread: OwnedThread, externalRef: string | null): Write {
  const { threadId, projectId, environmentId } = thread;
  return {
    statement: setExternalRef,
    key: threadId,
    values: [threadId, projectId, environmentId, externalRef],
  };
}
