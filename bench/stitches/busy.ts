/**
 * Durable inbound messages per second beside 100 stitches that all want every message and whose receiver answers at once, against one
 * such stitch; and how fast what the 100 are behind by is delivered once the load stops, against the rate of `deliveries` with ten
 * stitches. Commits come first: a message waits for no delivery, and deliveries take what is left.
 *
 * One node has a project for each number of stitches. They take turns, forwards and backwards, and the medians of the rounds are compared. When
 * the load stops the deliveries are counted at the receiver for a while; then the stitches are archived, so that the next turn begins
 * without a backlog. Last comes a short load whose backlog is delivered to the end: every delivery has to be settled and recorded.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { turn } from '../deliveries.ts';
import { makeEvents, makeStitches, skeinSender, type Origin } from '../senders/skein.ts';
import type { BenchDatabase } from '../support/bench-database.ts';
import { addProject, startSkein, type BenchProject, type Skein } from '../support/skein.ts';
import { startCountingReceiver, type CountingReceiver } from '../support/start-counting-receiver.ts';
import { startReceiver } from '../support/start-receiver.ts';
import { count, fixed, median, table, times, timesByRounds } from '../support/table.ts';
import { archiveStitches, load, openStitches, type Sample as LoadSample } from './setup.ts';

const many = 100;
const rounds = 5;
const target = 0.6;
const full = { threads: 1_000, connections: 256, warmupMs: 2_000, measuredMs: 4_000 };
/** The drain is measured so long, or until there is nothing left. */
const drainMs = 8_000;
/** A moment after the load: what was committed last is on its way. */
const settleMs = 500;
const restMs = 1_000;
/** Some 2,000 messages, 200,000 deliveries. */
const short = { ...full, connections: 16, warmupMs: 0, measuredMs: 2_000, pace: 1_000 };
const settledWithinMs = 90_000;
const deliveriesStitches = 10;

interface Setup {
  readonly database: BenchDatabase;
  readonly skein: Skein;
  readonly receiver: CountingReceiver;
  readonly url: string;
}

interface System {
  readonly project: BenchProject;
  readonly stitches: number;
}

interface Sample extends LoadSample {
  /** Deliveries for each message while the load ran. */
  readonly deliveredMeanwhile: number;
  readonly drainPerSecond: number;
}

const listUrls = ({ url }: Setup, howMany: number): string[] =>
  Array.from({ length: howMany }, (_, i) => `${url}/${i}`);

/** Deliveries that are recorded as delivered, and those that should be. */
const selectSettled = `
  select count(*)::int as n from webhook_deliveries where project_id = $1 and status = 'delivered' and stitch_id = any ($2)`;

async function countSettled({ database, skein }: Setup, projectId: string, ids: string[]): Promise<number> {
  const [row] = await database.query<{ n: number }>(skein.databaseUrl, selectSettled, [projectId, ids]);
  return row?.n ?? 0;
}

async function sample(setup: Setup, { project, stitches }: System): Promise<Sample> {
  const { database, skein, receiver } = setup;
  const ids = await openStitches(project, listUrls(setup, stitches));
  const before = await receiver.count();
  const loaded = await load(skein, project, database, full);
  const meanwhile = (await receiver.count()) - before;
  await pause(settleMs);
  const drainPerSecond = await measureDrain(receiver, before + loaded.succeeded * stitches);
  await archiveStitches(project, ids);
  await database.query(skein.databaseUrl, 'checkpoint');
  return { ...loaded, deliveredMeanwhile: meanwhile / loaded.succeeded, drainPerSecond };
}

/** NaN when there was nothing left to deliver. */
async function measureDrain(receiver: CountingReceiver, all: number): Promise<number> {
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

/** The receiver's count, once the requests that were out when the last round's stitches were archived have come. */
async function restedCount(receiver: CountingReceiver): Promise<number> {
  for (let last = -1, requests = await receiver.count(); ; requests = await receiver.count()) {
    if (requests === last) return requests;
    last = requests;
    await pause(restMs);
  }
}

/** A short load, and all its deliveries. */
async function deliverAll(setup: Setup, project: BenchProject): Promise<void> {
  const { database, skein, receiver } = setup;
  const ids = await openStitches(project, listUrls(setup, many));
  const before = await restedCount(receiver);
  const { succeeded } = await load(skein, project, database, short);
  const all = succeeded * many;
  const begun = performance.now();
  let settled = 0;
  while (performance.now() - begun < settledWithinMs) {
    await pause(500);
    settled = await countSettled(setup, project.projectId, ids);
    if (settled >= all) break;
  }
  const seconds = (performance.now() - begun) / 1_000;
  const left = all - settled;
  const extra = (await receiver.count()) - before - settled;
  console.log(
    `\nA short load of ${count(succeeded)} messages to ${many} stitches: ${count(settled)} deliveries settled ${fixed(seconds)} s after it, ${count(left)} left, ${count(extra)} requests that are not recorded`,
  );
}

/** `deliveries` with ten stitches, on a node of its own. */
async function measureDeliveries(database: BenchDatabase): Promise<number> {
  const receiver = await startReceiver();
  let origin: Origin | undefined;
  try {
    origin = await makeEvents(database, 'stitches_busy_deliveries');
    const { skein } = origin;
    const stitches = await makeStitches(skein, receiver, deliveriesStitches);
    await skein.server.stop();
    const sender = skeinSender(database, skein, receiver, stitches);
    const rates: number[] = [];
    for (let round = 0; round < rounds; round++) {
      rates.push((await turn(sender, database, skein.databaseUrl, receiver)).perSecond);
    }
    return median(rates);
  } finally {
    await origin?.skein.stop();
    await receiver.stop();
  }
}

export async function benchStitchesBusy(database: BenchDatabase): Promise<void> {
  await database.warm();
  const deliveriesPerSecond = await measureDeliveries(database);
  const receiver = await startCountingReceiver();
  let skein: Skein | undefined;
  try {
    skein = await startSkein(database, 'stitches_busy');
    const setup = { database, skein, receiver, url: await receiver.listen() };
    const systems: System[] = [
      { project: skein, stitches: 1 },
      { project: await addProject(skein, 'Many'), stitches: many },
    ];
    // The node has just started and compiles what it runs.
    await load(skein, skein, database, { ...full, warmupMs: 0 });
    const samples = new Map<System, Sample[]>(systems.map(system => [system, []]));
    for (let round = 0; round < rounds; round++) {
      const order = round % 2 === 0 ? systems : systems.toReversed();
      for (const system of order) samples.get(system)?.push(await sample(setup, system));
    }
    console.log(
      `\n${count(full.threads)} threads, ${full.connections} connections, a receiver that answers at once (medians of ${rounds} rounds of ${full.measuredMs / 1_000} s)\n`,
    );
    console.log(createTable(samples, deliveriesPerSecond));
    await deliverAll(setup, await addProject(skein, 'Last'));
  } finally {
    await skein?.stop();
    await receiver.stop();
  }
}

function createTable(samples: ReadonlyMap<System, readonly Sample[]>, deliveriesPerSecond: number): string {
  const middle = (of: readonly Sample[], field: keyof Omit<Sample, 'firstError'>): number =>
    median(of.map(each => each[field]).filter(value => !Number.isNaN(value)));
  const rates = (of: readonly Sample[]): number[] => of.map(({ perSecond }) => perSecond);
  const [one = []] = samples.values();
  const head = [
    'stitches whose receiver answers',
    'msgs/s',
    `against one (target: ${fixed(target)})`,
    'p99 ms',
    'node µs',
    'PostgreSQL µs',
    'deliveries a message meanwhile',
    'afterwards, deliveries/s',
    `against \`deliveries\` with ${deliveriesStitches} stitches (${count(deliveriesPerSecond)}/s; target: 1)`,
  ];
  const rows = [...samples].map(([{ stitches }, of]) => {
    const drain = middle(of, 'drainPerSecond');
    return [
      count(stitches),
      count(middle(of, 'perSecond')),
      of === one ? '' : timesByRounds(rates(of), rates(one)),
      fixed(middle(of, 'p99Ms')),
      fixed(middle(of, 'nodeMicros'), 0),
      fixed(middle(of, 'databaseMicros'), 0),
      fixed(middle(of, 'deliveredMeanwhile'), 2),
      Number.isNaN(drain) ? 'nothing left' : count(drain),
      Number.isNaN(drain) ? '' : times(drain / deliveriesPerSecond),
    ];
  });
  return table(head, rows);
}
