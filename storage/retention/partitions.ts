/**
 * The daily partitions of the tables that only grow: events, deliveries, attempts. Each has one partition for each day of UTC, named
 * `<table>_<yyyymmdd>`, and a default one for rows of any other day. Partitions are created a week ahead, so that a node that cannot
 * create them today has six more days to try, and dropped whole once they are older than what is kept.
 *
 * Both functions may run on any number of nodes at once. Each step is a short transaction of its own with a short lock timeout, because every
 * commit queues behind one that waits for a long read: it gives up, and is retried later. (Detaching a partition concurrently would
 * block no commit, but PostgreSQL does it only for tables without a default partition.)
 */
import type { Log } from '../../runtime/observability/index.ts';
import { Backoff, keepAliveClock, pause, systemRandom } from '../../runtime/time/index.ts';
import type { Database } from '../database/index.ts';

/** Partitioned tables and the column that names the day. */
const tables = {
  events: 'occurred_at',
  webhook_deliveries: 'created_at',
  webhook_attempts: 'attempted_at',
} as const;
export type PartitionedTable = keyof typeof tables;
export const partitionedTables = Object.keys(tables) as readonly PartitionedTable[];

const dayMs = 86_400_000;
const daysAhead = 7;
/** For each of the three tables that a step locks: the partitioned one, the partition and the default one. */
const lockTimeoutMs = 50;
/** Tries of a step in one call, and the wait after the first. */
const maxTries = 4;
const firstBackoffMs = 100;
const maxBackoffMs = 1_000;
/** Other nodes hold the advisory lock for a step, and nobody else queues for it. */
const advisoryLockTimeoutMs = 1_000;
/** Any number that no other program of the database uses. */
const advisoryLock = 0x534b_5041;
/** Rows of one statement that cleans up a default partition, and statements of one call: the rest waits for the next call. */
const batchRows = 5_000;
const maxBatches = 100;

const lockNotAvailable = '55P03';
/** The default partition holds a row of the day that a new partition would claim. */
const checkViolation = '23514';

type Connection = Pick<Database, 'em' | 'query'>;

/** `2026-11-20`: the day of an instant in epoch milliseconds. */
function toDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

function toPartitionName(table: PartitionedTable, ms: number): string {
  return `${table}_${toDay(ms).replaceAll('-', '')}`;
}

/** The day of UTC that a partition is named after. */
function parsePartitionDay(name: string): Date {
  return new Date(name.slice(-8).replace(/^(....)(..)(..)$/, '$1-$2-$3T00:00:00Z'));
}

/** The names of the attached partitions, without the default one. */
async function listPartitions(database: Connection, table: PartitionedTable): Promise<Set<string>> {
  const rows = await database.query<{ name: string }>(
    `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = $1::regclass and c.relname <> $1 || '_default'`,
    [table],
  );
  return new Set(rows.map(row => row.name));
}

/** Runs the statements in one transaction of their own, one node at a time. False: a table is locked, now and some tries later. */
async function runExclusively(database: Connection, statements: readonly string[]): Promise<boolean> {
  const backoff = new Backoff(firstBackoffMs, maxBackoffMs, systemRandom);
  for (let tries = 1; ; tries++) {
    try {
      await database.em().transactional(async em => {
        await em.execute(`set local lock_timeout = '${advisoryLockTimeoutMs}ms'`);
        await em.execute(`select pg_advisory_xact_lock(${advisoryLock})`);
        await em.execute(`set local lock_timeout = '${lockTimeoutMs}ms'`);
        for (const statement of statements) await em.execute(statement);
      });
      return true;
    } catch (error) {
      if (getErrorCode(error) !== lockNotAvailable) throw error;
      if (tries === maxTries) return false;
      await pause(keepAliveClock, backoff.next());
    }
  }
}

function getErrorCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/**
 * Creates the partitions from the day before `now` (epoch milliseconds) to a week after it, and resolves to their names. The rest of a
 * locked table is left for the next call, and so is a day whose rows already went to the default partition (they are found there, and
 * removed from there).
 */
export async function ensurePartitions(database: Connection, now: number, log: Log): Promise<string[]> {
  const created: string[] = [];
  for (const table of partitionedTables) {
    const there = await listPartitions(database, table);
    for (let day = -1; day <= daysAhead; day++) {
      const from = now + day * dayMs;
      const name = toPartitionName(table, from);
      if (there.has(name)) continue;
      try {
        // Attaching only locks out those who use the default partition; `create table ... partition of` locks out everybody.
        const isDone = await runExclusively(database, [
          `create table if not exists ${name} (like ${table} including defaults including constraints including indexes)`,
          `do $$ begin
            if not exists (select from pg_inherits where inhrelid = '${name}'::regclass) then
              alter table ${table} attach partition ${name}
                for values from ('${toDay(from)} 00:00+00') to ('${toDay(from + dayMs)} 00:00+00');
            end if;
          end $$`,
        ]);
        if (isDone) created.push(name);
        else {
          log.warn({ partition: name }, 'could not create a partition: its table is locked');
          break;
        }
      } catch (error) {
        if (getErrorCode(error) !== checkViolation) throw error;
        log.warn({ partition: name, err: error }, 'could not create a partition');
      }
    }
  }
  return created;
}

export interface DropOptions {
  readonly table: PartitionedTable;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly keepDays: number;
  readonly log: Log;
  /** Whether anything from `from` (inclusive) to `to` (exclusive) is still to be read: then it is kept until the next call. */
  readonly isNeeded?: (from: Date, to: Date) => Promise<boolean>;
}

/**
 * Drops the table's partitions whose rows are all older than `keepDays` before `now`, and deletes such rows of the default one. Resolves
 * to the names of the dropped partitions. A partition that is needed is left for the next call, and so is the rest of a locked table.
 */
export async function dropPartitions(database: Connection, drop: DropOptions): Promise<string[]> {
  const { table, now, keepDays, log, isNeeded } = drop;
  const dropped: string[] = [];
  const oldest = now - keepDays * dayMs;
  const end = new Date(`${toDay(oldest)}T00:00:00Z`);
  const mayDrop = async (partition: string, from: Date, to: Date): Promise<boolean> => {
    if (isNeeded === undefined || !(await isNeeded(from, to))) return true;
    log.warn({ partition }, 'partition not dropped: usage has not counted its events yet');
    return false;
  };
  const firstKept = toPartitionName(table, oldest);
  for (const name of [...(await listPartitions(database, table))].sort()) {
    if (name >= firstKept) break;
    const from = parsePartitionDay(name);
    if (!(await mayDrop(name, from, new Date(from.getTime() + dayMs)))) continue;
    if (!(await runExclusively(database, [`drop table if exists ${name}`]))) {
      log.warn({ partition: name }, 'could not drop a partition: its table is locked');
      break;
    }
    dropped.push(name);
  }
  if (await mayDrop(`${table}_default`, new Date(0), end)) await cleanUpDefault(database, table, end);
  return dropped;
}

/** By rows, a few thousand at a time: there are none unless partitions were missing for a while. */
async function cleanUpDefault(database: Connection, table: PartitionedTable, end: Date): Promise<void> {
  const rest = `${table}_default`;
  for (let done = 0; done < maxBatches; done++) {
    const deleted = await database.query(
      `delete from ${rest} where ctid = any (array(
         select ctid from ${rest} where ${tables[table]} < $1 order by ${tables[table]} limit ${batchRows}
       )) returning 1 as one`,
      [end],
    );
    if (deleted.length < batchRows) return;
  }
}
