/**
 * Durable inbound messages per second beside 100 stitches that all want every message and whose receiver answers at once, against one
 * such stitch; and how fast the backlog of the 100 is delivered once the load stops, against the rate of `deliveries` with ten
 * stitches. Commits come first: a message waits for no delivery, and deliveries take what is left.
 *
 * One node has a project for each number of stitches. When the load stops, the deliveries are counted at the receiver for a while. Then the
 * stitches are archived, so that the next turn begins without a backlog.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { turn } from '../deliveries/deliveries.ts';
import { makeEvents, skeinSender } from '../deliveries/skein.ts';
import type { BenchDatabase } from '../support/bench-database.ts';
import { measureLoad, runLoad, type Sample as LoadSample } from '../support/load.ts';
import { Receiver } from '../support/receiver.ts';
import { addProject, openStitches, startSkein, toUrls, type BenchProject } from '../support/skein.ts';
import { count, fixed, median, times } from '../support/table.ts';
import { againstFirst, compare, middle, quick, show, takeTurns } from '../support/turns.ts';

const many = quick(100, 20);
const rounds = quick(5, 1);
const target = 0.6;
const full = {
  threads: 1_000,
  connections: 256,
  warmupMs: quick(2_000, 100),
  measuredMs: quick(4_000, 500),
};
/** The drain is measured so long, or until there is nothing left. */
const drainMs = quick(8_000, 500);
/** A moment after the load: the last commits are on their way. */
const settleMs = 500;
const deliveriesStitches = 10;

interface System {
  readonly name: string;
  readonly project: BenchProject;
  readonly stitches: number;
}

interface Sample extends LoadSample {
  /** Deliveries for each message while the load ran. */
  readonly deliveredMeanwhile: number;
  /** NaN when there was nothing left to deliver. */
  readonly drainPerSecond: number;
}

async function measureDrain(receiver: Receiver, all: number): Promise<number> {
  const begun = performance.now();
  const first = await receiver.count();
  if (first >= all) return Number.NaN;
  let requests = first;
  while (requests < all && performance.now() - begun < drainMs) {
    await pause(20);
    requests = await receiver.count();
  }
  return ((requests - first) * 1_000) / (performance.now() - begun);
}

/** `deliveries` with ten stitches, on a node of its own. */
async function measureDeliveries(database: BenchDatabase): Promise<number> {
  const receiver = await Receiver.start(database.endings);
  const { skein } = await makeEvents(database, 'stitches_busy_deliveries');
  const [url = ''] = await receiver.listen();
  const stitches = await openStitches(skein, toUrls(url, deliveriesStitches));
  await skein.server.stop();
  const sender = skeinSender(database, skein, receiver, stitches);
  const rates: number[] = [];
  for (let round = 0; round < rounds; round++) {
    rates.push((await turn(sender, database, skein.databaseUrl, receiver)).perSecond);
  }
  return median(rates);
}

export async function run(database: BenchDatabase): Promise<void> {
  await database.warm();
  const deliveriesPerSecond = await measureDeliveries(database);
  const receiver = await Receiver.start(database.endings);
  const skein = await startSkein(database, 'stitches_busy');
  const { server, databaseUrl } = skein;
  const [url = ''] = await receiver.listen();
  const systems: System[] = [
    { name: '1', project: skein, stitches: 1 },
    { name: count(many), project: await addProject(skein, 'Many'), stitches: many },
  ];
  // The node has just started and compiles what it runs.
  await runLoad({ ...skein.target, ...full, warmupMs: 0 });
  const samples = await takeTurns(systems, rounds, async ({ project, stitches }): Promise<Sample> => {
    const opened = await openStitches(project, toUrls(url, stitches));
    const before = await receiver.count();
    const loaded = await measureLoad({ ...project.target, ...full }, [server.pid], database);
    const meanwhile = (await receiver.count()) - before;
    await pause(settleMs);
    const drainPerSecond = await measureDrain(receiver, before + loaded.succeeded * stitches);
    for (const { stitchId } of opened) await project.api.delete(`/stitches/${stitchId}`);
    await database.query(databaseUrl, 'checkpoint');
    return { ...loaded, deliveredMeanwhile: meanwhile / loaded.succeeded, drainPerSecond };
  });
  console.log(
    `\n${count(full.threads)} threads, ${full.connections} connections, a receiver that answers at once (medians of ${rounds} rounds of ${full.measuredMs / 1_000} s)\n`,
  );
  const drain =
    (format: (perSecond: number) => string, none: string) =>
    (of: readonly Sample[]): string => {
      const perSecond = middle(of, 'drainPerSecond');
      return Number.isNaN(perSecond) ? none : format(perSecond);
    };
  const columns = {
    'msgs/s': show('perSecond', count),
    [`against one (target: ${fixed(target)})`]: againstFirst,
    'p99 ms': show('p99Ms', fixed),
    'node µs': show('nodeMicros', count),
    'PostgreSQL µs': show('databaseMicros', count),
    'deliveries a message meanwhile': show('deliveredMeanwhile', value => fixed(value, 2)),
    'afterwards, deliveries/s': drain(count, 'nothing left'),
    [`against \`deliveries\` with ${deliveriesStitches} stitches (${count(deliveriesPerSecond)}/s; target: 1)`]:
      drain(perSecond => times(perSecond / deliveriesPerSecond), ''),
  };
  console.log(compare(samples, columns, 'stitches whose receiver answers'));
}
