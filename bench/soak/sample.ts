/** What a soak notes at the end of each of its windows. */
import { readdirSync, readFileSync } from 'node:fs';
import type { BenchDatabase } from '../support/bench-database.ts';
import type { LoadResult } from '../support/load.ts';
import { readMetric } from '../support/metric.ts';
import { cpuSeconds, processTree, residentBytes } from '../support/process-usage.ts';
import type { Skein } from '../support/skein.ts';
import { quantile } from '../support/table.ts';

/** Counters since the beginning, of which a sample tells the difference to the one before. */
export interface Totals {
  readonly nodeSeconds: number;
  readonly databaseSeconds: number;
  readonly walBytes: number;
}

/** A window's figures. Latencies are those of its messages; all else is as it was at its end. */
export interface Sample extends DatabaseFigures {
  /** Since the beginning. */
  readonly minute: number;
  readonly perSecond: number;
  /** Since the beginning. */
  readonly messages: number;
  readonly errors: number;
  readonly firstError: string | null;
  readonly acknowledgedP50Ms: number;
  readonly acknowledgedP99Ms: number;
  readonly webhookP50Ms: number;
  readonly webhookP99Ms: number;
  readonly nodeBytes: number;
  readonly heapBytes: number;
  /** Shared memory counted once (`Pss`). */
  readonly databaseMemoryBytes: number;
  readonly nodeFiles: number;
  readonly databaseFiles: number;
  /** Processor time of a message. */
  readonly nodeMicros: number;
  readonly databaseMicros: number;
  readonly walBytesEach: number;
}

interface DatabaseFigures {
  readonly tableBytes: number;
  readonly indexBytes: number;
  /** The table `threads` with its indexes. Its number of rows is constant, so its growth is bloat. */
  readonly threadBytes: number;
  readonly deadRows: number;
  /** Since the beginning. */
  readonly vacuums: number;
}

const figures = `
  select sum(pg_table_size(relid))::float8 as "tableBytes", sum(pg_indexes_size(relid))::float8 as "indexBytes",
    sum(pg_total_relation_size(relid)) filter (where relname = 'threads')::float8 as "threadBytes",
    sum(n_dead_tup)::float8 as "deadRows", sum(autovacuum_count)::float8 as vacuums
  from pg_stat_user_tables`;

export async function readTotals(skein: Skein, database: BenchDatabase): Promise<Totals> {
  return {
    nodeSeconds: cpuSeconds(skein.server.pid),
    databaseSeconds: database.cpuSeconds(),
    walBytes: await database.walBytes(),
  };
}

/** Bytes of the tables and their indexes. */
export async function readDatabaseBytes(skein: Skein, database: BenchDatabase): Promise<number> {
  const { tableBytes, indexBytes } = await readFigures(skein, database);
  return tableBytes + indexBytes;
}

/** Bytes of each table with its partitions and indexes, the largest first. */
export async function readTableBytes(
  skein: Skein,
  database: BenchDatabase,
): Promise<readonly { readonly name: string; readonly bytes: number }[]> {
  return database.query<{ name: string; bytes: number }>(
    skein.databaseUrl,
    `select coalesce(pg_partition_root(relid), relid)::regclass::text as name, sum(pg_total_relation_size(relid))::float8 as bytes
     from pg_stat_user_tables group by 1 order by 2 desc`,
  );
}

export interface Window {
  readonly minute: number;
  /** Of the window alone. */
  readonly result: LoadResult;
  /** Those before it. */
  readonly messagesBefore: number;
  readonly totalsBefore: Totals;
  readonly totals: Totals;
  /** Milliseconds, in order of size. */
  readonly webhookAges: readonly number[];
}

export async function takeSample(skein: Skein, database: BenchDatabase, window: Window): Promise<Sample> {
  const { result, totals, totalsBefore, webhookAges } = window;
  const { succeeded } = result;
  const postgres = processTree(database.pid);
  return {
    minute: window.minute,
    perSecond: result.perSecond,
    messages: window.messagesBefore + succeeded,
    errors: result.errors,
    firstError: result.firstError,
    acknowledgedP50Ms: result.p50Ms,
    acknowledgedP99Ms: result.p99Ms,
    webhookP50Ms: quantile(webhookAges, 0.5),
    webhookP99Ms: quantile(webhookAges, 0.99),
    nodeBytes: residentBytes(skein.server.pid),
    heapBytes: await readMetric(skein.server.url, 'nodejs_heap_size_used_bytes'),
    databaseMemoryBytes: sum(postgres.map(proportionalBytes)),
    nodeFiles: countFiles(skein.server.pid),
    databaseFiles: sum(postgres.map(countFiles)),
    nodeMicros: ((totals.nodeSeconds - totalsBefore.nodeSeconds) * 1e6) / succeeded,
    databaseMicros: ((totals.databaseSeconds - totalsBefore.databaseSeconds) * 1e6) / succeeded,
    walBytesEach: (totals.walBytes - totalsBefore.walBytes) / succeeded,
    ...(await readFigures(skein, database)),
  };
}

async function readFigures(skein: Skein, database: BenchDatabase): Promise<DatabaseFigures> {
  const [row] = await database.query<DatabaseFigures & Record<string, number>>(skein.databaseUrl, figures);
  if (row === undefined) throw new Error('the database has no tables');
  return row;
}

/** Open file descriptors. */
function countFiles(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    // It has ended meanwhile, or is another user's.
    return 0;
  }
}

/** Resident memory, of which what processes share counts in parts (proc_pid_smaps(5), `Pss`). */
function proportionalBytes(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    return Number(/^Pss:\s+(\d+) kB$/m.exec(text)?.[1] ?? 0) * 1_024;
  } catch {
    return 0;
  }
}

const sum = (values: readonly number[]): number => values.reduce((all, each) => all + each, 0);
