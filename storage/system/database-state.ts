/** How the database does: who is connected to it, and who waits there. */
import type { Queries } from '../database/index.ts';

export interface DatabaseState {
  /** Of PostgreSQL. */
  readonly version: string;
  /** Of all programs, to this database. */
  readonly connections: number;
  readonly maxConnections: number;
  /** Statements that wait for a lock. */
  readonly waitingForLocks: number;
  /** Of the transaction that has been open longest; null: there is none. The own one is not counted. */
  readonly longestTransactionSeconds: number | null;
  /** How long this question took, in milliseconds. */
  readonly roundTripMs: number;
}

// One row for each connection. What belongs to another role shows no times.
const selectState = `
  select current_setting('server_version') as version, count(*)::int as connections,
    current_setting('max_connections')::int as "maxConnections",
    (count(*) filter (where wait_event_type = 'Lock'))::int as "waitingForLocks",
    (max(extract(epoch from clock_timestamp() - xact_start)) filter (where pid <> pg_backend_pid()))::float8 as "longestTransactionSeconds"
  from pg_stat_activity where datname = current_database() and backend_type = 'client backend'`;

export async function readDatabaseState(db: Queries): Promise<DatabaseState> {
  const before = performance.now();
  const [row] = await db.query<Omit<DatabaseState, 'roundTripMs'>>(selectState, [], 'system.database');
  const roundTripMs = Math.round(performance.now() - before);
  if (row === undefined) throw new Error('an aggregate has one row');
  return { ...row, roundTripMs };
}

// Vacuum ignores its own snapshot. What belongs to another role shows no times, and nor do the snapshots of standbys.
const selectOldestSnapshot = `
  select coalesce(max(extract(epoch from clock_timestamp() - since)), 0)::float8 as seconds from (
    select xact_start as since from pg_stat_activity
    where datname = current_database() and backend_xmin is not null and backend_type <> 'autovacuum worker' and pid <> pg_backend_pid()
    union all select prepared from pg_prepared_xacts where database = current_database()
  ) snapshots`;

/**
 * Age in seconds of the oldest snapshot of this database, 0 if there is none: a backup, a dump, a report, a forgotten transaction. While it
 * is open, the server keeps every version of a row that was written since.
 */
export async function readOldestSnapshot(db: Queries): Promise<number> {
  const [row] = await db.query<{ seconds: number }>(selectOldestSnapshot, [], 'system.oldest_snapshot');
  return row?.seconds ?? 0;
}
