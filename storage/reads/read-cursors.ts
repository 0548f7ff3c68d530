/**
 * How far users have read threads: one row for each user and thread that has said so. A thread counts the messages of its participant, and
 * a cursor knows which of them it stands at: the difference is what the user has not read. Of messages and cursors of before there was a
 * count, all count as read.
 */
import type { ReadCursor } from '../../protocol/resources/index.ts';
import type { Queries, TenantScope } from '../database/index.ts';
import type { ThreadKey } from './threads.ts';

export interface ReadCursorMove extends ThreadKey {
  readonly userId: string;
  readonly sequence: number;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** `absent`: the environment has no such thread; `beyond`: the thread has no event of that number yet. */
export type CursorOutcome = ReadCursor | 'absent' | 'beyond';

/** Messages that are looked at behind a cursor that moves. Of more than that, some count as read. */
const maxCounted = 5_000;

// The old cursor is read beside the move: where nothing moved, it is the answer.
const moveCursor = `
  with thread as (
    select (state ->> 'sequence')::bigint as last, coalesce((state ->> 'inbound')::bigint, 0) as inbound_count from threads
    where thread_id = $1 and project_id = $2 and environment_id = $3
  ), later as (
    select count(*) filter (where direction = 'inbound') as count from (
      select direction from messages where thread_id = $1 and project_id = $2 and environment_id = $3
        and sequence > $5::bigint order by sequence limit ${maxCounted}) m
  ), moved as (
    insert into read_cursors (thread_id, user_id, project_id, environment_id, sequence, updated_at, inbound_count)
    select $1, $4, $2, $3, $5::bigint, $6::timestamptz, greatest(inbound_count - count, 0) from thread, later where last >= $5::bigint
    on conflict (thread_id, user_id) do update
      set sequence = excluded.sequence, updated_at = excluded.updated_at, inbound_count = excluded.inbound_count
      where read_cursors.sequence < excluded.sequence
        and read_cursors.project_id = excluded.project_id and read_cursors.environment_id = excluded.environment_id
    returning sequence, updated_at
  )
  select last, coalesce(m.sequence, c.sequence) as sequence, coalesce(m.updated_at, c.updated_at) as "updatedAt"
  from thread left join moved m on true left join read_cursors c
    on c.thread_id = $1 and c.user_id = $4 and c.project_id = $2 and c.environment_id = $3`;

/** Moves a user's cursor forward; one that is further on does not move. */
export async function moveReadCursor(db: Queries, to: ReadCursorMove): Promise<CursorOutcome> {
  const { threadId, projectId, environmentId, userId, sequence, now } = to;
  const [row] = await db.query<{ last: number; sequence: number | null; updatedAt: Date | null }>(
    moveCursor,
    [threadId, projectId, environmentId, userId, sequence, new Date(now)],
    'read_cursors.move',
  );
  if (row === undefined) return 'absent';
  if (sequence > row.last) return 'beyond';
  // Null only where another request has just created the cursor, at this sequence or a later one.
  const updatedAt = (row.updatedAt ?? new Date(now)).toISOString();
  return { threadId, projectId, userId, sequence: row.sequence ?? sequence, updatedAt };
}

/** How far a user has read a thread: its sequence, and how many of its participant's messages. */
export interface ReadState {
  readonly sequence: number;
  readonly inboundCount: number;
}

/** How far a user has read, by thread of the environment; threads without a cursor are missing. */
export async function readCursors(
  db: Queries,
  { projectId, environmentId }: TenantScope,
  userId: string,
  threadIds: readonly string[],
): Promise<ReadonlyMap<string, ReadState>> {
  if (threadIds.length === 0) return new Map();
  const rows = await db.query<ReadState & { readonly threadId: string }>(
    `select thread_id as "threadId", sequence, coalesce(inbound_count, 0) as "inboundCount" from read_cursors
     where user_id = $1 and thread_id = any ($2::text[]) and project_id = $3 and environment_id = $4`,
    [userId, threadIds, projectId, environmentId],
    'read_cursors.find',
  );
  return new Map(rows.map(row => [row.threadId, row]));
}
