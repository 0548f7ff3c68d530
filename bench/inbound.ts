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
import {
  type Figure,
  type InboundSystem,
  type Sample,
  sampleInbound,
  startInboundNode,
} from './support/inbound-load.ts';
import { count, fixed, mebibytes, median, table, timesByRounds } from './support/table.ts';

interface Setting {
  readonly title: string;
  readonly connections: number;
  readonly threads: number;
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

async function startPeer(name: (typeof peers)[number], database: BenchDatabase): Promise<InboundSystem> {
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

/** Runs all settings and prints a table for each. */
export async function benchInbound(database: BenchDatabase): Promise<void> {
  await database.warm();
  const systems = [await startInboundNode(database, 'skein_inbound')];
  try {
    for (const peer of peers) systems.push(await startPeer(peer, database));
    for (const setting of settings) {
      const samples = new Map<InboundSystem, Sample[]>(systems.map(system => [system, []]));
      for (let round = 0; round < rounds; round++) {
        const order = round % 2 === 0 ? systems : systems.toReversed();
        for (const system of order) {
          const { connections, threads } = setting;
          const sample = { connections, threads, warmupMs, measuredMs };
          samples.get(system)?.push(await sampleInbound(system, sample, database));
        }
      }
      console.log(`\n${setting.title} (medians of ${rounds} rounds of ${measuredMs / 1_000} s)\n`);
      console.log(createTable(systems, samples));
    }
  } finally {
    for (const system of systems) await system.stop();
  }
}

function createTable(
  systems: readonly InboundSystem[],
  samples: ReadonlyMap<InboundSystem, readonly Sample[]>,
): string {
  const all = (system: InboundSystem, field: Figure): number[] =>
    (samples.get(system) ?? []).map(entry => entry[field]);
  const middle = (system: InboundSystem, field: Figure): number => median(all(system, field));
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
