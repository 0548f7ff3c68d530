/**
 * Durable inbound messages per second: Skein beside what others would write, on the same PostgreSQL, in one run. Each promises the
 * same: a message of 300 bytes with its event, which is due to one webhook, the update of the thread, and 201 after the commit. The peers write a
 * row for the webhook, the usual outbox. Skein's outbox is its log of events: its stitch has an open circuit, so every event is due and none is sent.
 * Skein also authenticates a key, validates, and keeps an idempotency key.
 */
import { schema } from './peers/schema.ts';
import { freePort } from './demo/server.ts';
import type { BenchDatabase } from './support/bench-database.ts';
import { Child } from './support/child.ts';
import { measureLoad, type LoadTarget, type Sample } from './support/load.ts';
import { residentBytes } from './support/process-usage.ts';
import { addOpenStitch, startSkein } from './support/skein.ts';
import { count, fixed, mebibytes } from './support/table.ts';
import { compare, firstAgainst, quick, show, takeTurns, type Column } from './support/turns.ts';

const settings = [
  { title: '1,000 threads, 256 connections', connections: 256, threads: 1_000 },
  { title: '1,000 threads, 64 connections', connections: 64, threads: 1_000 },
  { title: 'one hot thread, 256 connections', connections: 256, threads: 1 },
];
const rounds = quick(5, 1);
const timing = { warmupMs: quick(1_500, 200), measuredMs: quick(4_000, 500) };
/** The name of each peer, its module, and the path that it serves. */
const peers = [
  ['fastify-transaction', 'fastify', '/transaction'],
  ['fastify-statement', 'fastify', '/statement'],
  ['bare-group-commit', 'bare-group-commit', '/messages'],
] as const;

interface System {
  readonly name: string;
  readonly pid: number;
  readonly target: LoadTarget;
}

async function startSystem(database: BenchDatabase): Promise<System> {
  const skein = await startSkein(database, 'skein_inbound');
  await addOpenStitch(skein, database);
  return { name: 'skein', pid: skein.server.pid, target: skein.target };
}

async function startPeer(
  [name, module, path]: (typeof peers)[number],
  database: BenchDatabase,
): Promise<System> {
  const port = await freePort();
  const url = await database.create(name.replaceAll('-', '_'), schema);
  const environment = { PORT: String(port), DATABASE_URL: url };
  const child = new Child(new URL(`./peers/${module}.ts`, import.meta.url), { environment });
  database.endings.teardown(() => child.stop());
  await child.hear();
  const target = { ports: [port], path, headers: {}, projectId: 'prj_bench' };
  return { name, pid: child.pid, target };
}

const columns: Readonly<Record<string, Column<Sample & { readonly residentBytes: number }>>> = {
  'msgs/s': show('perSecond', count),
  'skein against it': firstAgainst,
  'p50 ms': show('p50Ms', fixed),
  'p99 ms': show('p99Ms', fixed),
  'server µs': show('nodeMicros', count),
  'PostgreSQL µs': show('databaseMicros', count),
  'WAL bytes': show('walBytes', count),
  memory: show('residentBytes', mebibytes),
};

/** Prints a table for each setting. */
export async function run(database: BenchDatabase): Promise<void> {
  await database.warm();
  const systems = [await startSystem(database)];
  for (const peer of peers) systems.push(await startPeer(peer, database));
  for (const { title, connections, threads } of settings) {
    const samples = await takeTurns(systems, rounds, async ({ target, pid }) => ({
      ...(await measureLoad({ ...target, connections, threads, ...timing }, [pid], database)),
      residentBytes: residentBytes(pid),
    }));
    console.log(`\n${title} (medians of ${rounds} rounds of ${timing.measuredMs / 1_000} s)\n`);
    console.log(compare(samples, columns));
  }
}
