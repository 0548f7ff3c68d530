/**
 * Durable inbound messages per second: Skein beside what others would write, on the same PostgreSQL, in one run. Each promises the
 * same: a 300-byte message with its event, which one webhook is to get, the thread's update, 201 after the commit. The peers write a row for
 * the webhook, the usual outbox; Skein's outbox is its log of events, and it writes none until an attempt has ended.
 * Skein does it with key authentication, validation and idempotency on.
 *
 * The systems take turns, forwards and backwards, and the medians of the rounds are compared, so that a slow minute of the machine hits all alike. The
 * database is warm, as it is for all who do not start anew every minute.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { schema } from './peers/schema.ts';
import { freePort } from './demo/server.ts';
import type { BenchDatabase } from './support/bench-database.ts';
import type { LoadResult } from './support/load.ts';
import { openCircuit } from './support/open-circuit.ts';
import { cpuSeconds, residentBytes } from './support/process-usage.ts';
import { runLoad } from './support/run-load.ts';
import { startSkein } from './support/skein.ts';
import { count, fixed, mebibytes, median, table, timesByRounds } from './support/table.ts';

interface System {
  readonly name: string;
  readonly pid: number;
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly projectId: string;
  stop(): Promise<void>;
}

interface Setting {
  readonly title: string;
  readonly connections: number;
  readonly threads: number;
}

interface Sample extends LoadResult {
  /** CPU microseconds per message: of the server's process, and of PostgreSQL. */
  readonly serverMicros: number;
  readonly databaseMicros: number;
  readonly residentBytes: number;
  /** Bytes of the database's log per message. */
  readonly walBytes: number;
}

const settings: readonly Setting[] = [
  { title: '1,000 threads, 256 connections', connections: 256, threads: 1_000 },
  { title: '1,000 threads, 64 connections', connections: 64, threads: 1_000 },
  { title: 'one hot thread, 256 connections', connections: 256, threads: 1 },
];
const rounds = 5;
const warmupMs = 1_500;
const measuredMs = 4_000;
const peers = ['fastify-transaction', 'fastify-statement', 'bare-group-commit'] as const;

async function startPeer(name: (typeof peers)[number], database: BenchDatabase): Promise<System> {
  const port = await freePort();
  const url = await database.create(name.replaceAll('-', '_'), schema);
  const child = fork(new URL(`./peers/${name}.ts`, import.meta.url), {
    env: { ...process.env, PORT: String(port), DATABASE_URL: url },
    execPath: process.execPath,
  });
  await once(child, 'message');
  return {
    name,
    pid: child.pid ?? 0,
    port,
    path: '/messages',
    headers: {},
    projectId: 'prj_bench',
    async stop() {
      child.kill();
      await once(child, 'exit');
    },
  };
}

async function startOurs(database: BenchDatabase): Promise<System> {
  const skein = await startSkein(database, 'skein_inbound');
  // A stitch whose circuit is open is due every event and is sent none: as the peers, which store what is to be delivered, and no more.
  const { stitch } = await skein.api.post<{ stitch: { stitchId: string } }>('/stitches', {
    projectId: skein.projectId,
    name: 'Queue',
    webhookUrl: 'http://127.0.0.1:2/',
    eventNames: ['thread.message.received'],
  });
  await skein.server.stop();
  await database.query(skein.databaseUrl, openCircuit, [stitch.stitchId]);
  await skein.server.start();
  return {
    name: 'skein',
    pid: skein.server.pid,
    port: skein.port,
    path: `/v1/channels/${skein.channelId}/inbound-messages`,
    headers: { Authorization: `Bearer ${skein.apiKey}` },
    projectId: skein.projectId,
    stop: skein.stop,
  };
}

async function sample(system: System, setting: Setting, database: BenchDatabase): Promise<Sample> {
  const server = cpuSeconds(system.pid);
  const postgres = database.cpuSeconds();
  const wal = await database.walBytes();
  const result = await runLoad({ ...system, ports: [system.port], ...setting, warmupMs, measuredMs });
  if (result.errors > 0)
    throw new Error(`${system.name}: ${result.errors} errors, first: ${result.firstError ?? ''}`);
  const messages = (result.perSecond * (warmupMs + measuredMs)) / 1_000;
  return {
    ...result,
    serverMicros: ((cpuSeconds(system.pid) - server) * 1e6) / messages,
    databaseMicros: ((database.cpuSeconds() - postgres) * 1e6) / messages,
    residentBytes: residentBytes(system.pid),
    walBytes: ((await database.walBytes()) - wal) / messages,
  };
}

/** Runs all settings and prints a table for each. */
export async function benchInbound(database: BenchDatabase): Promise<void> {
  await database.warm();
  const systems = [await startOurs(database)];
  try {
    for (const peer of peers) systems.push(await startPeer(peer, database));
    for (const setting of settings) {
      const samples = new Map<System, Sample[]>(systems.map(system => [system, []]));
      for (let round = 0; round < rounds; round++) {
        const order = round % 2 === 0 ? systems : systems.toReversed();
        for (const system of order) samples.get(system)?.push(await sample(system, setting, database));
      }
      console.log(`\n${setting.title} (medians of ${rounds} rounds of ${measuredMs / 1_000} s)\n`);
      console.log(createTable(systems, samples));
    }
  } finally {
    for (const system of systems) await system.stop();
  }
}

function createTable(systems: readonly System[], samples: ReadonlyMap<System, readonly Sample[]>): string {
  const all = (system: System, field: keyof Omit<Sample, 'firstError'>): number[] =>
    (samples.get(system) ?? []).map(entry => entry[field]);
  const middle = (system: System, field: keyof Omit<Sample, 'firstError'>): number =>
    median(all(system, field));
  const [ours] = systems;
  const head = [
    '',
    'msgs/s',
    'skein against it',
    'p50 ms',
    'p99 ms',
    'server µs',
    'PostgreSQL µs',
    'WAL bytes',
    'memory',
  ];
  const rows = systems.map(system => [
    system.name,
    count(middle(system, 'perSecond')),
    ours === undefined || system === ours
      ? ''
      : timesByRounds(all(ours, 'perSecond'), all(system, 'perSecond')),
    fixed(middle(system, 'p50Ms')),
    fixed(middle(system, 'p99Ms')),
    fixed(middle(system, 'serverMicros'), 0),
    fixed(middle(system, 'databaseMicros'), 0),
    count(middle(system, 'walBytes')),
    mebibytes(middle(system, 'residentBytes')),
  ]);
  return table(head, rows);
}
