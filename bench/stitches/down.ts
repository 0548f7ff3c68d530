/**
 * Durable inbound messages per second beside stitches that all want every message and whose receivers are down: 1, 100 and 1,000 of
 * them. Nothing listens at their port, so each request is refused at once, which is the failure that comes round fastest. The costs of an
 * outage are the attempts (each is recorded), the threads that are held, and the retries.
 *
 * Each number of stitches has a node and a database of its own. Its node runs only in its turn, so that retries do not disturb the
 * others. Circuits open by themselves after five minutes of an outage: the table shows how many are open, and how many attempts the stitches made
 * for each message.
 */
import { freePort } from '../demo/server.ts';
import type { BenchDatabase } from '../support/bench-database.ts';
import { measureLoad, type Sample as LoadSample } from '../support/load.ts';
import { openStitches, startSkein, toUrls, type Skein } from '../support/skein.ts';
import { count, fixed } from '../support/table.ts';
import { againstFirst, compare, quick, show, takeTurns } from '../support/turns.ts';

/** For the node: more stitches in one environment than it allows by default. */
export const manyStitches = { LIMITS: JSON.stringify({ stitches: 10_000 }) };

const numbers = quick([1, 100, 1_000], [1, 20]);
const rounds = quick(5, 1);
const target = 0.95;
/** The node has just started: it compiles, and the stitches read which threads are held. */
const full = {
  threads: 1_000,
  connections: 256,
  warmupMs: quick(8_000, 100),
  measuredMs: quick(4_000, 500),
};

interface System {
  readonly name: string;
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

async function readHealth(database: BenchDatabase, { databaseUrl }: Skein): Promise<Health> {
  const [health] = await database.query<Health & Record<string, unknown>>(databaseUrl, selectHealth);
  return health ?? { open: 0, failures: 0 };
}

async function open(database: BenchDatabase, stitches: number): Promise<System> {
  const skein = await startSkein(database, `stitches_down_${stitches}`, manyStitches);
  await openStitches(skein, toUrls(`http://127.0.0.1:${await freePort()}`, stitches));
  return { name: count(stitches), skein };
}

async function turn(database: BenchDatabase, skein: Skein): Promise<Sample> {
  const { server, target } = skein;
  await server.start();
  try {
    const before = await readHealth(database, skein);
    const sample = await measureLoad({ ...target, ...full }, [server.pid], database);
    const health = await readHealth(database, skein);
    const attempts = health.failures - before.failures;
    return { ...sample, ...health, attemptsPerMessage: attempts / sample.succeeded };
  } finally {
    await server.stop();
  }
}

export async function run(database: BenchDatabase): Promise<void> {
  await database.warm();
  const systems: System[] = [];
  for (const stitches of numbers) {
    const system = await open(database, stitches);
    systems.push(system);
    await system.skein.server.stop();
  }
  const samples = await takeTurns(systems, rounds, ({ skein }) => turn(database, skein));
  console.log(
    `\n${count(full.threads)} threads, ${full.connections} connections, receivers that refuse (medians of ${rounds} rounds of ${full.measuredMs / 1_000} s)\n`,
  );
  const columns = {
    'msgs/s': show('perSecond', count),
    [`against one (target: ${fixed(target, 2)})`]: againstFirst,
    'p99 ms': show('p99Ms', fixed),
    'node µs': show('nodeMicros', count),
    'PostgreSQL µs': show('databaseMicros', count),
    'attempts a message': show('attemptsPerMessage', value => fixed(value, 2)),
    'circuits open, first to last round': (of: readonly Sample[]) =>
      of.map(sample => count(sample.open)).join(', '),
  };
  console.log(compare(samples, columns, 'stitches that are down'));
}
