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
  readonly holds?: readonly Hold[];
}

/** Why rows are kept for longer. */
export interface Hold {
  /** What the log says of it. */
  readonly why: string;
  /** Whether anything from `from` (inclusive) to `to` (exclusive) is still to be read: then it is kept until the next call. */
  readonly isNeeded: (from: Date, to: Date) => Promise<boolean>;
  /** In days: older rows go all the same. Undefined: they stay as long as they are needed. */
  readonly limitDays?: number;
}

/** Midnight of UTC, so many days before `now`: what is older is in partitions of which every row is. */
function toLimit(now: number, days: number): Date {
  return new Date(`${toDay(now - days * dayMs)}T00:00:00Z`);
}

/**
 * Drops the table's partitions whose rows are all older than `keepDays` before `now`, and deletes such rows of the default one. Resolves
 * to the names of the dropped partitions. A partition that is needed is left for the next call, and so is the rest of a locked table.
 */
export async function dropPartitions(database: Connection, drop: DropOptions): Promise<string[]> {
  const { table, now, keepDays, log, holds = [] } = drop;
  const dropped: string[] = [];
  const oldest = now - keepDays * dayMs;
  const end = toLimit(now, keepDays);
  /** What is older than the result may go. */
  const getLimit = async (partition: string, from: Date, to: Date): Promise<Date> => {
    let limit = to;
    const tooOld: string[] = [];
    for (const { why, isNeeded, limitDays } of holds) {
      if (!(await isNeeded(from, to))) continue;
      const own = limitDays === undefined ? from : toLimit(now, limitDays);
      if (own < to) log.info({ partition }, `partition not dropped: ${why}`);
      else tooOld.push(why);
      if (own < limit) limit = own;
    }
    for (const why of limit < to ? [] : tooOld) {
      log.warn({ partition }, `partition dropped although it is needed, since it is too old: ${why}`);
    }
    return limit;
  };
  const firstKept = toPartitionName(table, oldest);
  for (const name of [...(await listPartitions(database, table))].sort()) {
    if (name >= firstKept) break;
    const from = parsePartitionDay(name);
    const to = new Date(from.getTime() + dayMs);
    if ((await getLimit(name, from, to)) < to) continue;
    if (!(await runExclusively(database, [`drop table if exists ${name}`]))) {
      log.warn({ partition: name }, 'could not drop a partition: its table is locked');
      break;
    }
    dropped.push(name);
  }
  const rest = `${table}_default`;
  if (await hasRows(database, table, end)) {
    await cleanUpDefault(database, table, await getLimit(rest, new Date(0), end));
  }
  return dropped;
}

async function hasRows(database: Connection, table: PartitionedTable, end: Date): Promise<boolean> {
  const [row] = await database.query<{ found: boolean }>(
    `select exists (select from ${table}_default where ${tables[table]} < $1) as found`,
    [end],
  );
  return row?.found === true;
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
