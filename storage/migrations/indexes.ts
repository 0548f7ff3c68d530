/**
 * Indexes on tables that others write to. Such an index is built concurrently: a plain build would hold up every write until it is done.
 * PostgreSQL builds none concurrently on a partitioned table, so there it is built on each partition and then attached. A build that broke
 * off leaves an index that is not valid, or not attached: whoever repeats it finishes it.
 */
import type { ClientBase } from 'pg';
import type { Log } from '../../runtime/observability/index.ts';
import { retryBlocked, runBriefly } from './locks.ts';

export interface Index {
  readonly name: string;
  readonly table: string;
  readonly isUnique: boolean;
  /** What follows the table in its statement. */
  readonly rest: string;
}

/** The partition was dropped meanwhile. */
const undefinedTable = '42P01';

/** The statements without those that make an index on a table that was there before, and these indexes. */
export function separateIndexes(statements: readonly string[]): {
  readonly changes: readonly string[];
  readonly indexes: readonly Index[];
} {
  const created = new Set(statements.map(text => /^\s*create table (\w+)/.exec(text)?.[1]));
  const changes: string[] = [];
  const indexes: Index[] = [];
  for (const text of statements) {
    const index = parseIndex(text);
    if (index === undefined || created.has(index.table)) changes.push(text);
    else indexes.push(index);
  }
  return { changes, indexes };
}

function parseIndex(text: string): Index | undefined {
  const parts = /^\s*create (unique )?index (\w+)\s+on (\w+)\s+(.+)$/s.exec(text);
  if (parts === null) return undefined;
  const [, unique, name = '', table = '', rest = ''] = parts;
  return { name, table, isUnique: unique !== undefined, rest };
}

/** Builds the index, or finishes it. Rejects where the database refuses it, or stays locked. */
export async function buildIndex(client: ClientBase, index: Index, log: Log): Promise<void> {
  const { rows } = await client.query<{ kind: string }>(
    'select relkind as kind from pg_class where oid = $1::regclass',
    [index.table],
  );
  if (rows[0]?.kind === 'p') await buildOnPartitions(client, index, log);
  else await buildConcurrently(client, index, log);
}

async function buildConcurrently(client: ClientBase, index: Index, log: Log): Promise<void> {
  const { name, table, isUnique, rest } = index;
  const startedAt = performance.now();
  // Its waits block nobody else, so they have no limit. A deadlock is possible, with whoever waits for us and has an older snapshot.
  await retryBlocked(log, { index: name, table }, async () => {
    const { rows } = await client.query<{ valid: boolean }>(
      'select indisvalid as valid from pg_index where indexrelid = to_regclass($1)',
      [name],
    );
    if (rows[0]?.valid === true) return;
    if (rows[0] !== undefined) await client.query(`drop index concurrently ${name}`);
    await client.query(`create ${isUnique ? 'unique ' : ''}index concurrently ${name} on ${table} ${rest}`);
  });
  log.info({ index: name, table, elapsedMs: Math.round(performance.now() - startedAt) }, 'built an index');
}

async function buildOnPartitions(client: ClientBase, index: Index, log: Log): Promise<void> {
  const { name, table, isUnique, rest } = index;
  await runBriefly(client, log, { index: name, table }, [
    `create ${isUnique ? 'unique ' : ''}index if not exists ${name} on only ${table} ${rest}`,
  ]);
  // A partition that is attached from now on brings the index along.
  for (;;) {
    const partitions = await listUnindexed(client, index);
    if (partitions.length === 0) return;
    for (const partition of partitions) {
      const own = `${partition}_${name.startsWith(`${table}_`) ? name.slice(table.length + 1) : name}`;
      try {
        await buildConcurrently(client, { ...index, name: own, table: partition }, log);
        await runBriefly(client, log, { index: own, table: partition }, [
          `alter index ${name} attach partition ${own}`,
        ]);
      } catch (error) {
        if ((error as { readonly code?: unknown }).code !== undefinedTable) throw error;
      }
    }
  }
}

/** The partitions of the table on which the index is not there, or not attached. */
async function listUnindexed(client: ClientBase, { name, table }: Index): Promise<string[]> {
  const { rows } = await client.query<{ partition: string }>(
    `select c.relname as partition from pg_inherits p join pg_class c on c.oid = p.inhrelid
     where p.inhparent = $1::regclass and not exists (
       select from pg_inherits i join pg_index x on x.indexrelid = i.inhrelid
       where i.inhparent = $2::regclass and x.indrelid = c.oid)
     order by 1`,
    [table, name],
  );
  return rows.map(row => row.partition);
}
