/**
 * Where processor time goes: a profile of the node by Node itself, and of PostgreSQL by statements, over the loads of `inbound` (256 and 64
 * connections, one hot thread), and over a backlog of webhooks as `deliveries` has it. For each the dearest functions by their own
 * time, and all by areas of the code. A function that is inlined counts for the one that has it. And how many updates of threads took place
 * within their page, without touching an index (HOT).
 *
 * Counting and profiling cost something themselves: these tables say what part something has, and `inbound` and `deliveries` how much the
 * whole is.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { queued, turn, type Sender } from '../deliveries/deliveries.ts';
import { makeEvents, makeStitches, skeinSender } from '../deliveries/skein.ts';
import { startBenchDatabase, type BenchDatabase } from '../support/bench-database.ts';
import { runLoad } from '../support/load.ts';
import { Receiver } from '../support/receiver.ts';
import { startSkein } from '../support/skein.ts';
import { count, fixed, table } from '../support/table.ts';
import { quick } from '../support/turns.ts';
import {
  monotonicMicros,
  readProcessProfile,
  toArea,
  type OwnTime,
  type ProcessProfile,
} from './cpu-profile.ts';
import { countStatements, StatementCounter } from './statements.ts';

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
  await skein.stop();
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
  const receiver = await Receiver.start();
  const [url = ''] = await receiver.listen();
  const { skein } = await makeEvents(database, 'skein_profile_deliveries', environment, options);
  try {
    const made = await makeStitches(skein, url, stitches);
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
  } finally {
    await skein.stop();
    await receiver.stop();
  }
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
