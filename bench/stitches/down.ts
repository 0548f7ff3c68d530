/**
 * Durable inbound messages per second beside stitches that all want every message and whose receivers are down: 1, 100 and 1,000 of
 * them. Nothing listens at their port, so each request is refused at once, which is the failure that comes round fastest. What an
 * outage costs is the attempts (each is recorded), the threads that are held, and the retries.
 *
 * Each number of stitches has a node and a database of its own, and its node runs only while it has its turn: one whose stitches
 * try again would work beside the others' turns. The turns go forwards and backwards, and the medians of the rounds are compared.
 * Nothing is set by hand. An outage has two states, and circuits open by themselves after five minutes of it: the table says what the
 * stitches were in, and how many attempts they made for each message meanwhile. With `STITCHES_DOWN=open` the nodes run side by
 * side under a light load until every circuit is open, some six minutes, and then the rounds begin.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../demo/server.ts';
import type { BenchDatabase } from '../support/bench-database.ts';
import { startSkein, type Skein } from '../support/skein.ts';
import { count, fixed, median, table, timesByRounds } from '../support/table.ts';
import { load, manyStitches, openStitches, type Sample as LoadSample } from './setup.ts';

const numbers = [1, 100, 1_000] as const;
const rounds = 5;
const target = 0.95;
/** The node has just started: it compiles, and the stitches read which threads are held. */
const full = { threads: 1_000, connections: 256, warmupMs: 8_000, measuredMs: 4_000 };
/** Enough to make circuits open: there are always failures to count. */
const light = { threads: 20, connections: 1, warmupMs: 0, measuredMs: 10_000, pace: 5 };
const openWithinMs = 600_000;

interface System {
  readonly stitches: number;
  readonly skein: Skein;
}

interface Health {
  readonly open: number;
  /** Failed attempts in a row, of all stitches together. */
  readonly failures: number;
}

interface Sample extends LoadSample, Health {
  readonly attemptsPerMessage: number;
}

const selectHealth = `
  select count(*) filter (where status = 'error')::int as open,
    coalesce(sum((state #>> '{health,failures}')::int), 0)::int as failures
  from stitches`;

async function readHealth(database: BenchDatabase, { skein }: System): Promise<Health> {
  const [health] = await database.query<Health & Record<string, unknown>>(skein.databaseUrl, selectHealth);
  return health ?? { open: 0, failures: 0 };
}

async function open(database: BenchDatabase, stitches: number): Promise<System> {
  const skein = await startSkein(database, `stitches_down_${stitches}`, manyStitches);
  const url = `http://127.0.0.1:${await freePort()}/`;
  await openStitches(
    skein,
    Array.from({ length: stitches }, (_, i) => `${url}${i}`),
  );
  return { stitches, skein };
}

async function turn(database: BenchDatabase, system: System): Promise<Sample> {
  const { skein } = system;
  await skein.server.start();
  try {
    const before = await readHealth(database, system);
    const sample = await load(skein, skein, database, full);
    const health = await readHealth(database, system);
    const attempts = health.failures - before.failures;
    return { ...sample, ...health, attemptsPerMessage: attempts / sample.succeeded };
  } finally {
    await skein.server.stop();
  }
}

/** Side by side, until no circuit is closed. */
async function openCircuits(database: BenchDatabase, systems: readonly System[]): Promise<void> {
  const begun = performance.now();
  await Promise.all(systems.map(({ skein }) => skein.server.start()));
  await Promise.all(
    systems.map(async system => {
      for (;;) {
        await load(system.skein, system.skein, database, light);
        const { open } = await readHealth(database, system);
        if (open === system.stitches) return;
        if (performance.now() - begun > openWithinMs)
          throw new Error(`${open} of ${system.stitches} circuits are open`);
        await pause(1_000);
      }
    }),
  );
  await Promise.all(systems.map(({ skein }) => skein.server.stop()));
  console.log(`\nAll circuits were open after ${fixed((performance.now() - begun) / 60_000)} minutes`);
}

export async function benchStitchesDown(database: BenchDatabase): Promise<void> {
  await database.warm();
  const systems: System[] = [];
  try {
    for (const stitches of numbers) {
      const system = await open(database, stitches);
      systems.push(system);
      await system.skein.server.stop();
    }
    if (process.env['STITCHES_DOWN'] === 'open') await openCircuits(database, systems);
    const samples = new Map<System, Sample[]>(systems.map(system => [system, []]));
    for (let round = 0; round < rounds; round++) {
      const order = round % 2 === 0 ? systems : systems.toReversed();
      for (const system of order) samples.get(system)?.push(await turn(database, system));
    }
    console.log(
      `\n${count(full.threads)} threads, ${full.connections} connections, receivers that refuse (medians of ${rounds} rounds of ${full.measuredMs / 1_000} s)\n`,
    );
    console.log(createTable(samples));
  } finally {
    for (const { skein } of systems) await skein.stop();
  }
}

function createTable(samples: ReadonlyMap<System, readonly Sample[]>): string {
  const middle = (of: readonly Sample[], field: keyof Omit<Sample, 'firstError'>): number =>
    median(of.map(each => each[field]));
  const rates = (of: readonly Sample[]): number[] => of.map(({ perSecond }) => perSecond);
  const [one = []] = samples.values();
  const head = [
    'stitches that are down',
    'msgs/s',
    `against one (target: ${fixed(target, 2)})`,
    'p99 ms',
    'node µs',
    'PostgreSQL µs',
    'attempts a message',
    'circuits open, first to last round',
  ];
  const rows = [...samples].map(([{ stitches }, of]) => [
    count(stitches),
    count(middle(of, 'perSecond')),
    of === one ? '' : timesByRounds(rates(of), rates(one)),
    fixed(middle(of, 'p99Ms')),
    fixed(middle(of, 'nodeMicros'), 0),
    fixed(middle(of, 'databaseMicros'), 0),
    fixed(middle(of, 'attemptsPerMessage'), 2),
    of.map(({ open }) => count(open)).join(', '),
  ]);
  return table(head, rows);
}
