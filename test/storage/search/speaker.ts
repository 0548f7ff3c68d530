/** Writes messages into a database for searches to find, without a node. */
import type { Queries } from '../../../storage/database/index.ts';

/** When the first one was written; each of a project comes an hour after the one before. */
export const start = Date.parse('2026-11-01T12:00:00Z');

export interface Said {
  readonly thread: number;
  readonly body: string;
}

/** Messages of a project's threads as commits write them: the row, and its event in the project's log. */
export function createSpeaker(db: Queries): (tenant: string, messages: readonly Said[]) => Promise<void> {
  /** The number of the last event of each project. */
  const numbers = new Map<string, number>();
  return async (tenant, messages) => {
    const last = numbers.get(tenant) ?? 0;
    const numbered = messages.map((each, index) => ({ ...each, seq: last + index + 1 }));
    numbers.set(tenant, last + messages.length);
    await db.query(
      `with given as (select * from jsonb_to_recordset($1) g (thread int, body text, seq bigint)), known as (
       insert into threads (thread_id, project_id, environment_id, external_ref, participant, status, last_message_at, active_second,
         created_at, updated_at, state, version)
       select distinct on (thread) 'thread_' || $2 || thread, 'prj_' || $2, 'env_' || $2, 'ref' || thread, jsonb_build_object('displayName', 'Ada Number' || thread),
         case when thread % 2 = 0 then 'open' else 'closed' end, $3::timestamptz, 0, $3::timestamptz, $3::timestamptz, '{}'::jsonb, 1 from given
       on conflict do nothing
     ), said as (
       insert into messages (message_id, project_id, environment_id, thread_id, sequence, direction, body, actor, created_at, updated_at)
       select 'msg_' || $2 || '_' || seq, 'prj_' || $2, 'env_' || $2, 'thread_' || $2 || thread, seq, 'inbound', body, '{}'::jsonb,
         $3::timestamptz + seq * interval '1 hour', $3::timestamptz from given
     ), logged as (
       insert into events (project_id, seq, occurred_at, event_id, event_name, environment_id, thread_id, sequence, body)
       select 'prj_' || $2, seq, $3::timestamptz, 'evt_' || $2 || '_' || seq, 'thread.message.received', 'env_' || $2, 'thread_' || $2 || thread, seq, '{}' from given
     )
     insert into project_streams (project_id, last_seq, epoch) select 'prj_' || $2, max(seq), 'e' from given
     on conflict (project_id, era) do update set last_seq = excluded.last_seq`,
      [JSON.stringify(numbered), tenant, new Date(start)],
    );
  };
}
