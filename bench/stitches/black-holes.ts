/**
 * Webhook deliveries per second of ten good stitches of one project, without and with 200 stitches of other projects whose receivers accept a
 * connection and never answer: 50 in each of four projects, and all in one. Each black hole is a port of its own, so that no limit of an
 * origin protects the good ones, and each has more to send than may be in flight to it.
 *
 * As in `deliveries`, 20,000 deliveries of the good stitches wait when a node starts, and the time runs at their receiver from the first
 * to the last. The black holes' stitches begin with the node, a moment before the good ones: that is when they have the most requests
 * in flight, 20 each, because none has failed yet. The node's attempts time out later than a turn lasts. The systems take turns,
 * forwards and backwards, and the medians of the rounds are compared.
 */
import { turn, type Sample } from '../deliveries.ts';
import { makeEvents, makeStitches, skeinSender, type Origin } from '../senders/skein.ts';
import { queued, type Sender } from '../senders/sender.ts';
import type { BenchDatabase } from '../support/bench-database.ts';
import { addProject, type BenchProject } from '../support/skein.ts';
import { startCountingReceiver, type CountingReceiver } from '../support/start-counting-receiver.ts';
import { startReceiver } from '../support/start-receiver.ts';
import { count, fixed, median, table, timesByRounds } from '../support/table.ts';
import { load, manyStitches, openStitches } from './setup.ts';

const rounds = 5;
const target = 0.9;
const goodStitches = 10;
const blackHoles = 200;
/** Events of each black hole's project: one or more in each of so many threads, so that none waits for another. */
const events = { threads: 200, connections: 16, warmupMs: 0, measuredMs: 1_000, pace: 1_000 };

interface System {
  readonly name: string;
  /** Those whose stitches have something to send. */
  readonly projectIds: readonly string[];
  readonly sender: Sender;
}

/** What is measured: as in `deliveries`, and how many requests the black holes have swallowed. */
interface Outcome extends Sample {
  readonly swallowed: number;
}

/** All black holes have delivered everything, as far as they know, or nothing. `$1`: the projects whose have nothing. */
const rewindSpans = `
  update stitch_spans s set after_seq = case when s.project_id = any ($1) then 0 else p.last_seq end
  from project_streams p where p.project_id = s.project_id and s.project_id <> $2`;
const rewindStitches = `
  update stitches s set settled_seq = case when s.project_id = any ($1) then 0 else p.last_seq end, status = 'active',
    state = s.state || '{"dueAt": null, "health": {"failures": 0, "failingSince": null, "exhausted": 0, "probeAt": null}}'
  from project_streams p where p.project_id = s.project_id and s.project_id <> $2`;

async function openBlackHoles(
  database: BenchDatabase,
  { skein }: Origin,
  silent: CountingReceiver,
  name: string,
  howMany: number,
): Promise<BenchProject> {
  const project = await addProject(skein, name);
  await load(skein, project, database, events);
  // From now on, and then set back: nothing is sent before its turn.
  await openStitches(project, await silent.listenSilently(howMany));
  return project;
}

async function sample(
  database: BenchDatabase,
  { skein }: Origin,
  system: System,
  silent: CountingReceiver,
  measure: (sender: Sender) => Promise<Sample>,
): Promise<Outcome> {
  const before = await silent.count();
  for (const text of [rewindSpans, rewindStitches]) {
    await database.query(skein.databaseUrl, text, [system.projectIds, skein.projectId]);
  }
  const result = await measure(system.sender);
  return { ...result, swallowed: (await silent.count()) - before };
}

export async function benchStitchesBlackHoles(database: BenchDatabase): Promise<void> {
  await database.warm();
  const receiver = await startReceiver();
  const silent = await startCountingReceiver();
  let origin: Origin | undefined;
  try {
    origin = await makeEvents(database, 'stitches_black_holes', manyStitches);
    const { skein } = origin;
    const good = await makeStitches(skein, receiver, goodStitches);
    const four: string[] = [];
    for (let i = 0; i < 4; i++) {
      const project = await openBlackHoles(database, origin, silent, `Holes ${i}`, blackHoles / 4);
      four.push(project.projectId);
    }
    const one = await openBlackHoles(database, origin, silent, 'Holes', blackHoles);
    await skein.server.stop();
    const sender = skeinSender(database, skein, receiver, good);
    const systems: System[] = [
      { name: 'none', projectIds: [], sender },
      { name: `${blackHoles} in four other projects`, projectIds: four, sender },
      { name: `${blackHoles} in one other project`, projectIds: [one.projectId], sender },
    ];
    const samples = new Map<System, Outcome[]>(systems.map(system => [system, []]));
    for (let round = 0; round < rounds; round++) {
      const order = round % 2 === 0 ? systems : systems.toReversed();
      for (const system of order) {
        const measure = (each: Sender): Promise<Sample> => turn(each, database, skein.databaseUrl, receiver);
        samples.get(system)?.push(await sample(database, origin, system, silent, measure));
      }
    }
    console.log(
      `\n${count(queued)} queued deliveries of ${goodStitches} good stitches (medians of ${rounds} rounds)\n`,
    );
    console.log(createTable(samples));
  } finally {
    await origin?.skein.stop();
    await receiver.stop();
    await silent.stop();
  }
}

function createTable(samples: ReadonlyMap<System, readonly Outcome[]>): string {
  const middle = (of: readonly Outcome[], field: keyof Outcome): number =>
    median(of.map(each => each[field]));
  const rates = (of: readonly Outcome[]): number[] => of.map(({ perSecond }) => perSecond);
  const [without = []] = samples.values();
  const head = [
    'black holes',
    'good deliveries/s',
    `against none (target: ${fixed(target)})`,
    'node µs',
    'PostgreSQL µs',
    'requests never answered',
    'rounds, deliveries/s',
  ];
  const rows = [...samples].map(([{ name }, of]) => [
    name,
    count(middle(of, 'perSecond')),
    of === without ? '' : timesByRounds(rates(of), rates(without)),
    fixed(middle(of, 'senderMicros'), 0),
    fixed(middle(of, 'databaseMicros'), 0),
    count(middle(of, 'swallowed')),
    of.map(({ perSecond }) => count(perSecond)).join('; '),
  ]);
  return table(head, rows);
}
