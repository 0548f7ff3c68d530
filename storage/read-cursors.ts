/** How far users have read threads: one row for each that has said so. */
import type { ReadCursor } from '../protocol/resources/presence.ts';
import type { Database } from './database.ts';
import type { ThreadKey } from './reads/messages.ts';

type Queries = Pick<Database, 'query'>;

export interface ReadTo extends ThreadKey {
  readonly userId: string;
  readonly sequence: number;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** `absent`: no such thread in that place; `beyond`: the thread has not come that far. */
export type Moved = ReadCursor | 'absent' | 'beyond';

// The cursor as it stood is read beside its move: where the move was none, that is where it stands.
const moveCursor = `
  with thread as (
    select (state ->> 'sequence')::bigint as last from threads
    where thread_id = $1 and project_id = $2 and environment_id = $3
  ), moved as (
    insert into read_cursors (thread_id, user_id, project_id, environment_id, sequence, updated_at)
    select $1, $4, $2, $3, $5::bigint, $6::timestamptz from thread where last >= $5::bigint
    on conflict (thread_id, user_id) do update set sequence = excluded.sequence, updated_at = excluded.updated_at
      where read_cursors.sequence < excluded.sequence
    returning sequence, updated_at
  )
  select last, coalesce(m.sequence, c.sequence) as sequence, coalesce(m.updated_at, c.updated_at) as "updatedAt"
  from thread left join moved m on true left join read_cursors c on c.thread_id = $1 and c.user_id = $4`;

/** Moves a user's cursor forward; one that is further on stays. */
export async function moveReadCursor(db: Queries, to: ReadTo): Promise<Moved> {
  const { threadId, projectId, environmentId, userId, sequence, now } = to;
  const [row] = await db.query<{ last: number; sequence: number | null; updatedAt: Date | null }>(
    moveCursor,
    [threadId, projectId, environmentId, userId, sequence, new Date(now)],
    'read_cursors.move',
  );
  if (row === undefined) return 'absent';
  if (sequence > row.last) return 'beyond';
  // Null only where another move of a cursor that did not exist yet has just won: then it stands there at least.
  const updatedAt = (row.updatedAt ?? new Date(now)).toISOString();
  return { threadId, projectId, userId, sequence: row.sequence ?? sequence, updatedAt };
}

/** Where a user has read to, by thread; threads without a cursor are missing. */
export async function readCursors(
  db: Queries,
  userId: string,
  threadIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (threadIds.length === 0) return new Map();
  const rows = await db.query<{ threadId: string; sequence: number }>(
    `select thread_id as "threadId", sequence from read_cursors where user_id = $1 and thread_id = any ($2::text[])`,
    [userId, threadIds],
    'read_cursors.of',
  );
  return new Map(rows.map(({ threadId, sequence }) => [threadId, sequence]));
}
