/**
 * `npm run bench -- soak --hours 2` (or `--minutes 10`): whether anything grows that should not. A node takes messages to 10,000 threads, each with a
 * webhook, at half of the rate that it can sustain, or less if the disk would not hold the messages (they may use half of the free space).
 *
 * Each window has a new process with new connections. A message counts from the instant at which it was due. The end is compared with the
 * state after the first quarter, when caches are full and code is compiled: medians of a tenth of the windows each. The figures are also
 * drawn, and written as JSON, under .skein/bench.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, statfs, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { BenchDatabase } from '../support/bench-database.ts';
import { type LoadResult, tryLoad } from '../support/load.ts';
import { cpuSeconds, processTree, readMetric, residentBytes } from '../support/process-usage.ts';
import { Receiver } from '../support/receiver.ts';
import { openStitches, type Skein, startSkein } from '../support/skein.ts';
import { count, fixed, mebibytes, quantile, table, times } from '../support/table.ts';
import { middle, quick } from '../support/turns.ts';
import { type Chart, drawPicture } from './picture.ts';

const setting = { threads: 10_000, connections: 128 };
const windows = 120;
const shortestWindowMs = quick(10_000, 2_000);
/** Of a window, before what is measured: its connections are new. */
const warmupMs = 1_000;
const targets = { memory: 1.05, p99: 1.2 };
const arrivedWithinMs = 120_000;
const messageCount = 'select count(*)::float8 as messages from messages';

interface Setup {
  readonly database: BenchDatabase;
  readonly skein: Skein;
  readonly receiver: Receiver;
}

interface SoakRate {
  readonly perSecond: number;
  readonly reason: string;
  /** Messages that were acknowledged while this was found out. */
  readonly messages: number;
}

export async function run(database: BenchDatabase, minutes: number): Promise<void> {
  await database.warm();
  const receiver = await Receiver.start(database.endings);
  const skein = await startSkein(database, 'soak');
  const setup = { database, skein, receiver };
  await openStitches(skein, await receiver.listen());
  const pace = await choosePace(setup, minutes);
  console.log(`\n${minutes} minutes at ${count(pace.perSecond)} messages a second: ${pace.reason}\n`);
  const samples = await soak(setup, pace.perSecond, minutes);
  const lost = await countLost(setup, pace.messages + (samples.at(-1)?.messages ?? 0));
  console.log(createTable(samples));
  console.log(`\n${describeLosses(samples, lost)}`);
  console.log(await createDiskTable(setup));
  console.log(`\nWritten: ${(await writeFiles(samples, minutes, pace)).join(', ')}`);
}

function send(
  { skein }: Setup,
  how: { readonly measuredMs: number; readonly pace?: number },
): Promise<LoadResult> {
  return tryLoad({ ...skein.target, ...setting, ...how, warmupMs, stamped: how.pace !== undefined });
}

/** Half of what the node does without getting behind with its webhooks, or what the disk holds. */
async function choosePace(setup: Setup, minutes: number): Promise<SoakRate> {
  const { skein, database, receiver } = setup;
  // Code is compiled and threads are made before what is measured.
  const heating = await send(setup, { measuredMs: quick(8_000, 500) });
  await receiver.waitFor(heating.succeeded, arrivedWithinMs);
  const readBytes = async (): Promise<number> => {
    const { tableBytes, indexBytes } = await readFigures(skein, database);
    return tableBytes + indexBytes;
  };
  const bytes = await readBytes();
  const from = performance.now();
  const { succeeded } = await send(setup, { measuredMs: quick(12_000, 500) });
  await receiver.waitFor(heating.succeeded + succeeded, arrivedWithinMs);
  const possible = (succeeded * 1_000) / (performance.now() - from);
  const bytesEach = ((await readBytes()) - bytes) / succeeded;
  const { bavail, bsize } = await statfs(database.folder);
  const held = (bavail * bsize) / 2 / bytesEach / (minutes * 60);
  const half = possible / 2;
  const measured = `half of ${count(possible)}, which it can do with their webhooks`;
  const messages = heating.succeeded + succeeded;
  if (held >= half) return { perSecond: Math.floor(half), reason: measured, messages };
  return {
    perSecond: Math.floor(held),
    messages,
    reason: `not ${measured}, since the disk would not hold them: ${count(bytesEach)} bytes each`,
  };
}

async function soak(setup: Setup, perSecond: number, minutes: number): Promise<readonly Sample[]> {
  const { skein, database, receiver } = setup;
  const windowMs = Math.max(shortestWindowMs, (minutes * 60_000) / windows);
  const from = performance.now();
  const samples: Sample[] = [];
  await receiver.ages();
  while (performance.now() - from < minutes * 60_000 - windowMs / 2) {
    const before = await readTotals(skein, database);
    const result = await send(setup, { measuredMs: windowMs - warmupMs, pace: perSecond });
    const sample = await takeSample(skein, database, result, before, await receiver.ages());
    const messages = (samples.at(-1)?.messages ?? 0) + result.succeeded;
    samples.push({ ...sample, messages, minute: (performance.now() - from) / 60_000 });
    if (result.errors > 0) console.log(`${result.errors} errors, first: ${result.firstError ?? ''}`);
  }
  return samples;
}

/** The number of acknowledged messages that are not stored. If all are stored, the number of webhooks that do not arrive. */
async function countLost({ receiver, skein, database }: Setup, messages: number): Promise<number> {
  const [row] = await database.query<{ messages: number }>(skein.databaseUrl, messageCount);
  const stored = row?.messages ?? 0;
  if (stored < messages) return messages - stored;
  await receiver.waitFor(stored, arrivedWithinMs).catch(() => undefined);
  return Math.max(0, stored - (await receiver.count()));
}

/** Medians after the first quarter, and at the end. */
function compare(samples: readonly Sample[], field: keyof Sample): readonly [before: number, after: number] {
  const tenth = Math.max(1, Math.round(samples.length / 10));
  const quarter = Math.floor(samples.length / 4);
  return [middle(samples.slice(quarter, quarter + tenth), field), middle(samples.slice(-tenth), field)];
}

function createTable(samples: readonly Sample[]): string {
  const milliseconds = (value: number): string => `${fixed(value)} ms`;
  const rows: readonly (readonly [string, keyof Sample, (value: number) => string, number?])[] = [
    ['memory of the node', 'nodeBytes', mebibytes, targets.memory],
    ['of which its heap in use', 'heapBytes', mebibytes],
    ['acknowledged, p99', 'acknowledgedP99Ms', milliseconds, targets.p99],
    ['webhook received, p99', 'webhookP99Ms', milliseconds, targets.p99],
    ['processor time of a message: node, µs', 'nodeMicros', fixed],
    ['the same: PostgreSQL, µs', 'databaseMicros', fixed],
    ['write-ahead log of a message, bytes', 'walBytesEach', count],
    ['table of 10,000 threads, with its indexes', 'threadBytes', mebibytes],
    ['dead rows', 'deadRows', count],
    ['file descriptors: node', 'nodeFiles', count],
    ['the same: PostgreSQL', 'databaseFiles', count],
    ['memory of PostgreSQL', 'databaseMemoryBytes', mebibytes],
  ];
  return table(
    ['', 'after the first quarter', 'at the end', 'change', 'target'],
    rows.map(([name, field, show, target]) => {
      const [before, after] = compare(samples, field);
      return [
        name,
        show(before),
        show(after),
        times(after / before),
        target === undefined ? '' : times(target),
      ];
    }),
  );
}

function describeLosses(samples: readonly Sample[], lost: number): string {
  const [first, last] = [samples[Math.floor(samples.length / 4)], samples.at(-1)];
  if (first === undefined || last === undefined) return 'The run was too short for a window.';
  const bytes = (sample: Sample): number => sample.tableBytes + sample.indexBytes;
  const each = (bytes(last) - bytes(first)) / (last.messages - first.messages);
  const errors = samples.reduce((all, sample) => all + sample.errors, 0);
  return (
    `${count(last.messages)} messages; ${errors} requests failed; ${lost} webhooks or messages are missing. ` +
    `After the first quarter the database grew by ${count(each)} bytes a message, indexes included. ` +
    `Autovacuum ran ${count(last.vacuums)} times.`
  );
}

/** Bytes of each table with its partitions and indexes, for all messages so far. */
async function createDiskTable({ skein, database }: Setup): Promise<string> {
  const tables = await database.query<{ name: string; bytes: number }>(
    skein.databaseUrl,
    `select coalesce(pg_partition_root(relid), relid)::regclass::text as name,
       sum(pg_total_relation_size(relid))::float8 / (select count(*) from messages) as bytes
     from pg_stat_user_tables group by 1 order by 2 desc`,
  );
  const rows = tables.filter(({ bytes }) => bytes >= 20).map(({ name, bytes }) => [name, count(bytes)]);
  return `\n${table(['table, with indexes', 'bytes a message'], rows)}`;
}

const [mebi, gibi] = [2 ** 20, 2 ** 30];
/** Title, unit, divisor, and the figures with their names. */
const charts: readonly (readonly [string, string, number, Readonly<Record<string, keyof Sample>>])[] = [
  ['Memory', 'MiB', mebi, { node: 'nodeBytes', 'its heap': 'heapBytes', PostgreSQL: 'databaseMemoryBytes' }],
  ['Acknowledged', 'ms', 1, { p50: 'acknowledgedP50Ms', p99: 'acknowledgedP99Ms' }],
  ['Webhook received', 'ms', 1, { p50: 'webhookP50Ms', p99: 'webhookP99Ms' }],
  ['Database', 'GiB', gibi, { tables: 'tableBytes', indexes: 'indexBytes' }],
  ['Rewritten in place', 'MiB', mebi, { '10,000 threads with indexes': 'threadBytes' }],
  ['Dead rows', '', 1, { 'all tables': 'deadRows' }],
  ['Autovacuum', 'runs so far', 1, { 'all tables': 'vacuums' }],
  ['Processor time', 'µs a message', 1, { node: 'nodeMicros', PostgreSQL: 'databaseMicros' }],
  ['Write-ahead log', 'bytes a message', 1, { log: 'walBytesEach' }],
  ['File descriptors', '', 1, { node: 'nodeFiles', PostgreSQL: 'databaseFiles' }],
  ['Messages', 'a second', 1, { acknowledged: 'perSecond' }],
];

function createCharts(samples: readonly Sample[]): readonly Chart[] {
  return charts.map(([title, unit, divisor, figures]) => ({
    title,
    unit,
    series: Object.entries(figures).map(([name, figure]) => ({
      name,
      values: samples.map(sample => sample[figure] / divisor),
    })),
  }));
}

async function writeFiles(
  samples: readonly Sample[],
  minutes: number,
  pace: SoakRate,
): Promise<readonly string[]> {
  const folder = join(process.cwd(), '.skein', 'bench');
  await mkdir(folder, { recursive: true });
  const title = `Soak: ${minutes} minutes at ${count(pace.perSecond)} messages a second`;
  const picture = drawPicture({
    title,
    minutes: samples.map(({ minute }) => minute),
    markedMinute: minutes / 4,
    charts: createCharts(samples),
  });
  const files = [
    [join(folder, 'soak.svg'), picture],
    [join(folder, 'soak.json'), `${JSON.stringify(samples, null, 1)}\n`],
  ] as const;
  for (const [file, text] of files) await writeFile(file, text);
  return files.map(([file]) => relative(process.cwd(), file));
}

/** Counters since the beginning. */
interface Totals {
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
interface Sample extends DatabaseFigures {
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

async function readTotals(skein: Skein, database: BenchDatabase): Promise<Totals> {
  return {
    nodeSeconds: cpuSeconds(skein.server.pid),
    databaseSeconds: database.cpuSeconds(),
    walBytes: await database.walBytes(),
  };
}

/** `before`: the totals at the beginning of the window. `ages`: of its webhooks, in milliseconds. */
async function takeSample(
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

async function readFigures(skein: Skein, database: BenchDatabase): Promise<DatabaseFigures> {
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
