/**
 * Runs the migrations that a database does not have yet, one after the other, beside nodes that go on writing to it. Each one goes
 *
 *   (absent) -> changed   its statements, in one transaction that waits only shortly for its locks (locks.ts)
 *   changed  -> done      its indexes on tables that were there before, one by one, outside of a transaction (indexes.ts)
 *
 * and its row in `migrations` says which. A node that dies in between leaves the rest to the next one. In a database without any,
 * nobody writes yet: there everything is part of the transactions.
 *
 * One node migrates at a time. The others ask again and again for the lock instead of waiting for it: a build that is concurrent waits for
 * every older snapshot, and whoever waits in the database has one.
 */
import type { ClientBase } from 'pg';
import type { Migration } from '@mikro-orm/migrations';
import type { Log } from '../../runtime/observability/index.ts';
import { keepAliveClock, pause } from '../../runtime/time/index.ts';
import { buildIndex, separateIndexes } from './indexes.ts';
import { migrations } from './list.ts';
import { runBriefly } from './locks.ts';

export interface NamedMigration {
  /** Of letters, digits and hyphens. */
  readonly name: string;
  readonly statements: readonly string[];
}

/** Key of the advisory lock: any number that no other program of the database uses. */
const advisoryLock = 0x534b_4d47;
const askEveryMs = 250;

/** Follows the name of a migration whose indexes are still being built. */
const unfinished = ' (indexes)';

const createTable = `
  create table if not exists migrations (
    id serial primary key, name varchar(255) not null, executed_at timestamptz(6) not null default current_timestamp
  )`;

/** All of the schema's. The ORM's driver and configuration are what its migrations are made with. */
export function listMigrations(...orm: ConstructorParameters<typeof Migration>): NamedMigration[] {
  return migrations.map(({ name, class: Listed }) => {
    const migration = new Listed(...orm);
    migration.up();
    return { name, statements: migration.getQueries().map(String) };
  });
}

/** On a connection that is used for nothing else. Rejects with the error of the first migration that fails. */
export async function runMigrations(
  client: ClientBase,
  wanted: readonly NamedMigration[],
  log: Log,
): Promise<void> {
  await client.query('set statement_timeout = 0; set lock_timeout = 0');
  const isDone = async (): Promise<boolean> => {
    const rows = await listRows(client);
    return wanted.every(({ name }) => rows.has(name));
  };
  if (await isDone()) return;
  await takeLock(client, log);
  try {
    await client.query(createTable);
    const rows = await listRows(client);
    for (const migration of wanted) await run(client, migration, rows, log);
  } finally {
    await client.query('select pg_advisory_unlock($1)', [advisoryLock]).catch(() => undefined);
  }
}

/** Names of migrations. */
export interface SchemaDifference {
  /** The next start of a node runs them. */
  readonly pending: readonly string[];
  /** A later version of the program has run them. */
  readonly unknown: readonly string[];
}

/** Changes nothing. */
export async function compareSchema(
  client: Pick<ClientBase, 'query'>,
  wanted: readonly NamedMigration[],
): Promise<SchemaDifference> {
  const rows = await listRows(client);
  const names = new Set(wanted.map(({ name }) => name));
  return {
    pending: [...names].filter(name => !rows.has(name)),
    unknown: [...rows].filter(name => !names.has(name) && !name.endsWith(unfinished)),
  };
}

/** The names in the table, which may not be there yet. */
async function listRows(client: Pick<ClientBase, 'query'>): Promise<ReadonlySet<string>> {
  const { rows: tables } = await client.query<{ there: boolean }>(
    `select to_regclass('migrations') is not null as there`,
  );
  if (tables[0]?.there !== true) return new Set();
  const { rows } = await client.query<{ name: string }>('select name from migrations');
  return new Set(rows.map(({ name }) => name));
}

async function takeLock(client: ClientBase, log: Log): Promise<void> {
  for (let tries = 1; ; tries++) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
      advisoryLock,
    ]);
    if (rows[0]?.taken === true) return;
    if (tries === 1) log.info({}, 'another node migrates the database');
    await pause(keepAliveClock, askEveryMs);
  }
}

/** @param before the rows of the table when this node began */
async function run(
  client: ClientBase,
  { name, statements }: NamedMigration,
  before: ReadonlySet<string>,
  log: Log,
): Promise<void> {
  if (before.has(name)) return;
  const startedAt = performance.now();
  const { changes, indexes } =
    before.size === 0 ? { changes: statements, indexes: [] } : separateIndexes(statements);
  const isChanged = before.has(name + unfinished);
  const row = indexes.length === 0 ? name : name + unfinished;
  if (!isChanged) {
    await runBriefly(client, log, { migration: name }, [
      ...changes,
      `insert into migrations (name) values ('${row}')`,
    ]);
  }
  for (const index of indexes) await buildIndex(client, index, log);
  if (row !== name) await client.query('update migrations set name = $1 where name = $2', [name, row]);
  log.info({ migration: name, elapsedMs: Math.round(performance.now() - startedAt) }, 'migrated');
}
