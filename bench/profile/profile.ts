/**
 * Where processor time goes: a profile of the node by Node itself, and of PostgreSQL by statements, over the loads of `inbound` (256 and 64
 * connections, one hot thread), and over a backlog of webhooks as `deliveries` has it. For each the dearest functions by their own
 * time, and all by areas of the code. A function that is inlined counts for the one that has it. And how many updates of threads took place
 * within their page, without touching an index (HOT).
 *
 * Counting and profiling cost something themselves: these tables say what part something has, and `inbound` and `deliveries` how much the
 * whole is.
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readAccess, toSuperuserUrl } from '../../storage/embedded/cluster.ts';
import { turn } from '../deliveries/deliveries.ts';
import { queued, type Sender } from '../deliveries/sender.ts';
import { makeEvents, skeinSender } from '../deliveries/skein.ts';
import { type BenchDatabase, startBenchDatabase } from '../support/bench-database.ts';
import { runLoad } from '../support/load.ts';
import { Receiver } from '../support/receiver.ts';
import { openStitches, startSkein, toUrls } from '../support/skein.ts';
import { count, fixed, table } from '../support/table.ts';
import { quick } from '../support/turns.ts';

const measuredMs = quick(12_000, 1_000);
const warmupMs = quick(3_000, 500);
const shownFunctions = 20;
const stitches = 10;
const workerProfile = new URL('./worker-profile.ts', import.meta.url).href;
// PostgreSQL counts when a connection has been idle for a moment.
const readUpdates = `
  select pg_stat_force_next_flush(), n_tup_upd::float8 as updates, n_tup_hot_upd::float8 as hot
  from pg_stat_user_tables where relname = 'threads'`;

const loads = [
  { name: 'messages of 1,000 threads, 256 connections', connections: 256, threads: 1_000 },
  { name: 'messages of 1,000 threads, 64 connections', connections: 64, threads: 1_000 },
  { name: 'messages of one hot thread, 256 connections', connections: 256, threads: 1 },
];

interface Setup {
  readonly database: BenchDatabase;
  /** Where Node writes its profiles. */
  readonly folder: string;
  readonly options: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

interface Measured {
  readonly name: string;
  readonly profile: ProcessProfile;
  readonly units: number;
}

/** The server of the run is left alone, because this one counts statements. */
export async function run(): Promise<void> {
  const database = await startBenchDatabase(countStatements);
  const folder = await mkdtemp(join(tmpdir(), 'skein-profile-'));
  const setup = {
    database,
    folder,
    options: ['--cpu-prof', `--cpu-prof-dir=${folder}`, `--import=${workerProfile}`],
    environment: { WORKER_PROFILES: folder },
  };
  try {
    await database.warm();
    const all: Measured[] = [];
    for (const [i, load] of loads.entries()) all.push(await profileLoad(setup, load, `skein_profile_${i}`));
    all.push(await profileDeliveries(setup));
    console.log('\nThe main thread of the node by areas, µs for each:\n');
    console.log(createAreaTable(all));
  } finally {
    await rm(folder, { recursive: true });
    await database.stop();
  }
}

async function profileLoad(
  { database, folder, options, environment }: Setup,
  { name, connections, threads }: (typeof loads)[number],
  databaseName: string,
): Promise<Measured> {
  const skein = await startSkein(database, databaseName, environment, options);
  const { pid } = skein.server;
  const statements = await StatementCounter.open(database, skein.databaseUrl);
  const setting = { ...skein.target, connections, threads };
  await runLoad({ ...setting, measuredMs: warmupMs });
  await statements.reset();
  const from = monotonicMicros();
  const { perSecond } = await runLoad({ ...setting, measuredMs });
  const span = { from, to: monotonicMicros() };
  const messages = (perSecond * measuredMs) / 1_000;
  const statementTable = await statements.table(messages, 'a message');
  const [updates] = await database.query<{ updates: number; hot: number }>(skein.databaseUrl, readUpdates);
  await skein.server.stop();
  const profile = await readProcessProfile(folder, pid, span);
  console.log(`\n### ${name}\n\n${count(perSecond)} messages a second; of the main thread's own time:\n`);
  console.log(createFunctionTable(profile.main, messages, 'a message'));
  console.log(`\nPostgreSQL, time of its processes with their waits:\n\n${statementTable}`);
  const { updates: all = 0, hot = 0 } = updates ?? {};
  console.log(`\n${count(all)} updates of threads, ${fixed((100 * hot) / all)} % of them HOT`);
  return { name, profile, units: messages };
}

async function profileDeliveries({ database, folder, options, environment }: Setup): Promise<Measured> {
  const name = `webhooks of ${stitches} stitches`;
  const receiver = await Receiver.start(database.endings);
  const [url = ''] = await receiver.listen();
  const { skein } = await makeEvents(database, 'skein_profile_deliveries', environment, options);
  const made = await openStitches(skein, toUrls(url, stitches));
  await skein.server.stop();
  const statements = await StatementCounter.open(database, skein.databaseUrl);
  const sender = skeinSender(database, skein, receiver, made);
  let from = 0;
  let pid = 0;
  let statementTable = '';
  const watched: Sender = {
    ...sender,
    async start() {
      await sender.start();
      pid = sender.pid();
    },
    async verify() {
      statementTable = await statements.table(queued, 'a webhook');
      await sender.verify();
    },
  };
  const expect = (requests: number, onBegun: () => void): Promise<number> =>
    receiver.expect(requests, () => {
      from = monotonicMicros();
      void statements.reset();
      onBegun();
    });
  const { perSecond } = await turn(watched, database, skein.databaseUrl, { expect });
  const profile = await readProcessProfile(folder, pid, { from, to: from + (queued / perSecond) * 1e6 });
  console.log(`\n### ${name}\n\n${count(perSecond)} a second; of the main thread's own time:\n`);
  console.log(createFunctionTable(profile.main, queued, 'a webhook'));
  console.log(`\nOf the time of the threads that send:\n`);
  console.log(createFunctionTable(profile.workers, queued, 'a webhook'));
  console.log(`\nPostgreSQL, time of its processes with their waits:\n\n${statementTable}`);
  return { name, profile, units: queued };
}

const total = (times: readonly OwnTime[]): number => times.reduce((sum, { micros }) => sum + micros, 0);

function createFunctionTable(times: readonly OwnTime[], units: number, unit: string): string {
  const all = total(times);
  const toRow = (label: string, micros: number): string[] => [
    label,
    fixed(micros / units),
    `${fixed((100 * micros) / all)} %`,
  ];
  const rows = times
    .slice(0, shownFunctions)
    .map(({ name, file, line, micros }) => toRow(file === '' ? name : `${name}, ${file}:${line}`, micros));
  return table(['function', `µs ${unit}`, 'share'], [...rows, toRow('all', all)]);
}

/** A column for each load, and one for the threads that send webhooks. */
function createAreaTable(all: readonly Measured[]): string {
  const columns = all.flatMap(({ name, profile, units }) => [
    { name, times: profile.main, units },
    ...(profile.workers.length > 0 && units === queued
      ? [{ name: `${name}, threads that send`, times: profile.workers, units }]
      : []),
  ]);
  const areas = new Map<string, number[]>();
  for (const [i, { times, units }] of columns.entries()) {
    for (const time of times) {
      const area = toArea(time);
      const values = areas.get(area) ?? columns.map(() => 0);
      values[i] = (values[i] ?? 0) + time.micros / units;
      areas.set(area, values);
    }
  }
  const rows = [...areas]
    .filter(([, values]) => Math.max(...values) >= 0.2)
    .sort(([, a], [, b]) => (b[0] ?? 0) - (a[0] ?? 0))
    .map(([area, values]) => [area, ...values.map(value => fixed(value))]);
  const sums = columns.map(({ times, units }) => fixed(total(times) / units));
  return table(['area', ...columns.map(({ name }) => name)], [...rows, ['all', ...sums]]);
}

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The parts of V8's format that are read. */
interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: {
      readonly functionName: string;
      readonly url: string;
      readonly lineNumber: number;
    };
  }[];
  /** Ids of nodes. */
  readonly samples: readonly number[];
  /** Microseconds before each sample. */
  readonly timeDeltas: readonly number[];
  /** Microseconds of the machine's monotonic clock. */
  readonly startTime: number;
}

/** By the machine's monotonic clock, in microseconds: the same in all processes. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** A function, as a profile names it, and the microseconds of its own in the span: what it calls counts for that. */
interface OwnTime {
  readonly name: string;
  /** A file of the project, of a package (`node_modules/...`) or of Node (`node:...`); empty for what is no JavaScript. */
  readonly file: string;
  readonly line: number;
  readonly micros: number;
}

/** The time of each function, the dearest first: of the main thread, and of all workers together. Waiting counts for nothing. */
interface ProcessProfile {
  readonly main: readonly OwnTime[];
  readonly workers: readonly OwnTime[];
}

const monotonicMicros = (): number => Number(process.hrtime.bigint() / 1_000n);

/** @param folder has the files of this process, and perhaps of others */
async function readProcessProfile(folder: string, pid: number, span: Span): Promise<ProcessProfile> {
  // CPU.<date>.<time>.<process>.<thread>.<number>.cpuprofile; the main thread is 0.
  const files = (await readdir(folder)).filter(name => name.split('.')[3] === String(pid));
  const read = async (names: readonly string[]): Promise<OwnTime[]> => {
    const profiles = await Promise.all(names.map(name => readFile(join(folder, name), 'utf8')));
    return sum(
      profiles.map(text => JSON.parse(text) as Profile),
      span,
    );
  };
  const isMain = (name: string): boolean => name.split('.')[4] === '0';
  const main = files.filter(isMain);
  if (main.length !== 1) throw new Error(`${main.length} profiles of the main thread in ${files.join(', ')}`);
  return { main: await read(main), workers: await read(files.filter(name => !isMain(name))) };
}

function sum(profiles: readonly Profile[], { from, to }: Span): OwnTime[] {
  const times = new Map<string, OwnTime>();
  for (const { nodes, samples, timeDeltas, startTime } of profiles) {
    const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
    let at = startTime;
    for (const [i, id] of samples.entries()) {
      const micros = timeDeltas[i] ?? 0;
      at += micros;
      const frame = frames.get(id);
      if (at < from || at > to || frame === undefined || frame.functionName === '(idle)') continue;
      const { functionName, url, lineNumber } = frame;
      const key = `${functionName} ${url} ${lineNumber}`;
      const known = times.get(key)?.micros ?? 0;
      times.set(key, {
        name: functionName === '' ? 'anonymous' : functionName,
        file: url.startsWith('file:') ? relative(root, fileURLToPath(url)) : url,
        line: lineNumber + 1,
        micros: known + micros,
      });
    }
  }
  return [...times.values()].sort((a, b) => b.micros - a.micros);
}

/** Where in the code a function is, in the words of docs/develop/architecture.md. */
function toArea({ name, file }: OwnTime): string {
  if (name === '(garbage collector)') return 'garbage collection';
  if (file === '') return 'native code, system calls with it';
  if (file.startsWith('node:')) return 'Node: streams, sockets, timers, crypto';
  const [, scope = '', second = ''] = file.startsWith('node_modules/') ? file.split('/') : [];
  if (scope !== '') return `package ${scope.startsWith('@') ? `${scope}/${second}` : scope}`;
  return `${file.split('/')[0] ?? ''}/`;
}

/** Settings of a server that counts. */
const countStatements = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track_utility': 'on',
};

interface Statement {
  readonly text: string;
  readonly calls: number;
  readonly rows: number;
  readonly micros: number;
  readonly walBytes: number;
}

const shown = 10;
const shownCharacters = 80;
const readStatements = `
  select regexp_replace(s.query, '\\s+', ' ', 'g') as text, s.calls::float8, s.rows::float8,
    s.total_exec_time * 1000 as micros, s.wal_bytes::float8 as "walBytes"
  from pg_stat_statements s join pg_database d on d.oid = s.dbid
  where d.datname = $1 and s.query not ilike '%pg_stat_statements%'
  order by s.total_exec_time desc`;

class StatementCounter {
  readonly #server: BenchDatabase;
  /** As the superuser, who may see and reset all of them. */
  readonly #url: string;
  /** The name of the database whose statements count. */
  readonly #counted: string;

  private constructor(server: BenchDatabase, url: string, counted: string) {
    this.#server = server;
    this.#url = url;
    this.#counted = counted;
  }

  /** @param databaseUrl the database whose statements count */
  static async open(server: BenchDatabase, databaseUrl: string): Promise<StatementCounter> {
    const url = toSuperuserUrl(await readAccess(server.home));
    await server.query(url, 'create extension if not exists pg_stat_statements');
    return new StatementCounter(server, url, new URL(databaseUrl).pathname.slice(1));
  }

  /** Begins anew. */
  async reset(): Promise<void> {
    await this.#server.query(this.#url, 'select pg_stat_statements_reset()');
  }

  /** The dearest statements since then: their time within the server, waits for locks and for the disk included, for each of so many units. */
  async table(units: number, unit: string): Promise<string> {
    const all = await this.#server.query<Statement>(this.#url, readStatements, [this.#counted]);
    const toRow = (label: string, of: readonly Statement[]): string[] => {
      const sum = (field: 'calls' | 'rows' | 'micros' | 'walBytes'): number =>
        of.reduce((total, each) => total + each[field], 0);
      return [
        label,
        count(sum('calls')),
        fixed(sum('rows') / sum('calls')),
        fixed(sum('micros') / units),
        fixed(sum('walBytes') / units, 0),
      ];
    };
    const rows = all
      .slice(0, shown)
      .map(each => toRow(`\`${each.text.slice(0, shownCharacters).trim()}\``, [each]));
    return table(
      ['statement', 'calls', 'rows a call', `µs ${unit}`, `WAL bytes ${unit}`],
      [...rows, toRow('all', all)],
    );
  }
}
