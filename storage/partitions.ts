/**
 * The daily partitions of what only grows: events, deliveries, attempts. Each has one partition per day of UTC, named
 * `<table>_<yyyymmdd>`, and a default one for rows of no such day. Partitions are made a week ahead, so that a node that
 * cannot make them today has six more days to try, and dropped whole when they are older than what is kept.
 *
 * Both functions may run on any number of nodes at once. Each step is its own short transaction with a lock timeout: a
 * reader in the way is not waited for longer than that, and nobody queues behind us for longer either.
 */
import type { Log } from '../runtime/log.ts';
import type { Database } from './database.ts';

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
const lockTimeoutMs = 1_000;
/** Any number that no other program of the database uses. */
const advisoryLock = 0x534b_5041;
const sweepRows = 5_000;
/** Statements of one sweep of a default partition: what is left over waits for the next. */
const sweeps = 100;

const lockNotAvailable = '55P03';
/** The default partition holds a row of the day that a new partition would claim. */
const checkViolation = '23514';

type Connection = Pick<Database, 'em' | 'query'>;

/** `2026-11-20` of the day that the instant (epoch milliseconds) is in. */
function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

function nameOf(table: PartitionedTable, ms: number): string {
  return `${table}_${dayOf(ms).replaceAll('-', '')}`;
}

/** The day, of UTC, that a partition is named for. */
function dayNamed(name: string): Date {
  return new Date(name.slice(-8).replace(/^(....)(..)(..)$/, '$1-$2-$3T00:00:00Z'));
}

/** Names of the partitions that are attached, without the default one. */
async function existing(database: Connection, table: PartitionedTable): Promise<Set<string>> {
  const rows = await database.query<{ name: string }>(
    `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = $1::regclass and c.relname <> $1 || '_default'`,
    [table],
  );
  return new Set(rows.map(row => row.name));
}

/** Runs the statements in one transaction of their own, one node at a time. */
async function alone(database: Connection, statements: readonly string[]): Promise<void> {
  await database.em().transactional(async em => {
    await em.execute(`set local lock_timeout = '${lockTimeoutMs}ms'`);
    await em.execute(`select pg_advisory_xact_lock(${advisoryLock})`);
    for (const statement of statements) await em.execute(statement);
  });
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/**
 * Makes the partitions from the day before `now` (epoch milliseconds) to a week after it. Gives the names it made.
 * A table that is locked is left for the next call, and so is a day whose rows already went to the default partition
 * (they are found there, and swept there).
 */
export async function ensurePartitions(database: Connection, now: number, log: Log): Promise<string[]> {
  const made: string[] = [];
  for (const table of partitionedTables) {
    const there = await existing(database, table);
    for (let day = -1; day <= daysAhead; day++) {
      const from = now + day * dayMs;
      const name = nameOf(table, from);
      if (there.has(name)) continue;
      try {
        // Attaching locks out only who touches the default partition; `create table ... partition of` locks out everybody.
        await alone(database, [
          `create table if not exists ${name} (like ${table} including defaults including constraints including indexes)`,
          `do $$ begin
            if not exists (select from pg_inherits where inhrelid = '${name}'::regclass) then
              alter table ${table} attach partition ${name}
                for values from ('${dayOf(from)} 00:00+00') to ('${dayOf(from + dayMs)} 00:00+00');
            end if;
          end $$`,
        ]);
        made.push(name);
      } catch (error) {
        const code = codeOf(error);
        if (code !== lockNotAvailable && code !== checkViolation) throw error;
        log.warn({ partition: name, err: error }, 'partition not made');
      }
    }
  }
  return made;
}

export interface Drop {
  readonly table: PartitionedTable;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly keepDays: number;
  readonly log: Log;
  /** Whether something of that time (`from` inclusive, `to` exclusive) is still to be read: then it stays until the next call. */
  readonly isNeeded?: (from: Date, to: Date) => Promise<boolean>;
}

/**
 * Drops the table's partitions whose every row is older than `keepDays` before `now`, and such rows of the default one. Gives
 * the names it dropped. A partition that is locked or needed is left for the next call.
 */
export async function dropPartitions(database: Connection, drop: Drop): Promise<string[]> {
  const { table, now, keepDays, log, isNeeded } = drop;
  const dropped: string[] = [];
  const oldest = now - keepDays * dayMs;
  const end = new Date(`${dayOf(oldest)}T00:00:00Z`);
  const mayGo = async (partition: string, from: Date, to: Date): Promise<boolean> => {
    if (isNeeded === undefined || !(await isNeeded(from, to))) return true;
    log.warn({ partition }, 'partition not dropped: what is in it has not been read');
    return false;
  };
  const firstKept = nameOf(table, oldest);
  for (const name of [...(await existing(database, table))].sort()) {
    if (name >= firstKept) break;
    const from = dayNamed(name);
    if (!(await mayGo(name, from, new Date(from.getTime() + dayMs)))) continue;
    try {
      await alone(database, [`drop table if exists ${name}`]);
      dropped.push(name);
    } catch (error) {
      if (codeOf(error) !== lockNotAvailable) throw error;
      log.warn({ partition: name, err: error }, 'partition not dropped');
    }
  }
  if (await mayGo(`${table}_default`, new Date(0), end)) await sweepDefault(database, table, end);
  return dropped;
}

/** Row by row, a few thousand at a time: there are none unless partitions were missing for a while. */
async function sweepDefault(database: Connection, table: PartitionedTable, end: Date): Promise<void> {
  const rest = `${table}_default`;
  for (let sweep = 0; sweep < sweeps; sweep++) {
    const gone = await database.query(
      `delete from ${rest} where ctid = any (array(
         select ctid from ${rest} where ${tables[table]} < $1 order by ${tables[table]} limit ${sweepRows}
       )) returning 1 as one`,
      [end],
    );
    if (gone.length < sweepRows) return;
  }
}
