/** The figures that a soak takes at the end of each of its windows. */
import { readdirSync, readFileSync } from 'node:fs';
import type { BenchDatabase } from '../support/bench-database.ts';
import type { LoadResult } from '../support/load.ts';
import { readMetric } from '../support/metric.ts';
import { cpuSeconds, processTree, residentBytes } from '../support/process-usage.ts';
import type { Skein } from '../support/skein.ts';
import { quantile } from '../support/table.ts';

/** Counters since the beginning. */
export interface Totals {
  readonly nodeSeconds: number;
  readonly databaseSeconds: number;
  readonly walBytes: number;
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

/** Latencies are those of the messages of the window. All other figures are as they are at its end. */
export interface Sample extends DatabaseFigures {
  /** Since the beginning, as are `messages`. */
  readonly minute: number;
  readonly messages: number;
  readonly perSecond: number;
  readonly errors: number;
  readonly acknowledgedP50Ms: number;
  readonly acknowledgedP99Ms: number;
  readonly webhookP50Ms: number;
  readonly webhookP99Ms: number;
  readonly nodeBytes: number;
  readonly heapBytes: number;
  /** Shared memory counts once (`Pss`). */
  readonly databaseMemoryBytes: number;
  readonly nodeFiles: number;
  readonly databaseFiles: number;
  /** Processor time of a message, and its bytes of the write-ahead log. */
  readonly nodeMicros: number;
  readonly databaseMicros: number;
  readonly walBytesEach: number;
}

export async function readTotals(skein: Skein, database: BenchDatabase): Promise<Totals> {
  return {
    nodeSeconds: cpuSeconds(skein.server.pid),
    databaseSeconds: database.cpuSeconds(),
    walBytes: await database.walBytes(),
  };
}

/** `before`: the totals at the beginning of the window. `ages`: of its webhooks, in milliseconds. */
export async function takeSample(
  skein: Skein,
  database: BenchDatabase,
  result: LoadResult,
  before: Totals,
  ages: readonly number[],
): Promise<Omit<Sample, 'minute' | 'messages'>> {
  const { nodeSeconds, databaseSeconds, walBytes } = await readTotals(skein, database);
  const { pid, url } = skein.server;
  const { succeeded, perSecond, errors } = result;
  const postgres = processTree(database.pid);
  const sum = (read: (pid: number) => number): number => postgres.reduce((all, each) => all + read(each), 0);
  return {
    perSecond,
    errors,
    acknowledgedP50Ms: result.p50Ms,
    acknowledgedP99Ms: result.p99Ms,
    webhookP50Ms: quantile(ages, 0.5),
    webhookP99Ms: quantile(ages, 0.99),
    nodeBytes: residentBytes(pid),
    heapBytes: await readMetric(url, 'nodejs_heap_size_used_bytes'),
    databaseMemoryBytes: sum(readProportionalBytes),
    nodeFiles: countFiles(pid),
    databaseFiles: sum(countFiles),
    nodeMicros: ((nodeSeconds - before.nodeSeconds) * 1e6) / succeeded,
    databaseMicros: ((databaseSeconds - before.databaseSeconds) * 1e6) / succeeded,
    walBytesEach: (walBytes - before.walBytes) / succeeded,
    ...(await readFigures(skein, database)),
  };
}

export async function readFigures(skein: Skein, database: BenchDatabase): Promise<DatabaseFigures> {
  const [row] = await database.query<DatabaseFigures & Record<string, number>>(
    skein.databaseUrl,
    `select sum(pg_table_size(relid))::float8 as "tableBytes", sum(pg_indexes_size(relid))::float8 as "indexBytes",
       sum(pg_total_relation_size(relid)) filter (where relname = 'threads')::float8 as "threadBytes",
       sum(n_dead_tup)::float8 as "deadRows", sum(autovacuum_count)::float8 as vacuums
     from pg_stat_user_tables`,
  );
  if (row === undefined) throw new Error('the database has no tables');
  return row;
}

/** Open file descriptors. 0 when the process has ended, or belongs to another user. */
function countFiles(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}

/** Resident memory, in which shared memory counts in parts (proc_pid_smaps(5), `Pss`). */
function readProportionalBytes(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    return Number(/^Pss:\s+(\d+) kB$/m.exec(text)?.[1] ?? 0) * 1_024;
  } catch {
    return 0;
  }
}
