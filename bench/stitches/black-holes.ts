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
import { turn, type Sample } from '../deliveries/deliveries.ts';
import { queued } from '../deliveries/sender.ts';
import { makeEvents, skeinSender } from '../deliveries/skein.ts';
import type { BenchDatabase } from '../support/bench-database.ts';
import { runLoad } from '../support/load.ts';
import { Receiver } from '../support/receiver.ts';
import { addProject, openStitches, toUrls, type Skein } from '../support/skein.ts';
import { count, fixed } from '../support/table.ts';
import { againstFirst, compare, quick, show, takeTurns } from '../support/turns.ts';
import { manyStitches } from './down.ts';

const rounds = quick(5, 1);
const target = 0.9;
const goodStitches = 10;
const blackHoles = 200;
/** Events of each black hole's project: one or more in each of so many threads, so that none waits for another. */
const events = { threads: 200, connections: 16, measuredMs: 1_000, pace: 1_000 };

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

/** Gives the id of a project with so many black holes. */
async function openBlackHoles(skein: Skein, silent: Receiver, name: string, ports: number): Promise<string> {
  const project = await addProject(skein, name);
  await runLoad({ ...project.target, ...events });
  // Each turn sets them back to the first event. Until then they follow from here, and send nothing.
  await openStitches(project, await silent.listen({ ports, silent: true }));
  return project.projectId;
}

export async function run(database: BenchDatabase): Promise<void> {
  await database.warm();
  const receiver = await Receiver.start(database.endings);
  const silent = await Receiver.start(database.endings);
  const { skein } = await makeEvents(database, 'stitches_black_holes', manyStitches);
  const [url = ''] = await receiver.listen();
  const good = await openStitches(skein, toUrls(url, goodStitches));
  const four: string[] = [];
  for (let i = 0; i < 4; i++) {
    four.push(await openBlackHoles(skein, silent, `Holes ${i}`, blackHoles / 4));
  }
  const one = await openBlackHoles(skein, silent, 'Holes', blackHoles);
  await skein.server.stop();
  const sender = skeinSender(database, skein, receiver, good);
  // Only the black holes of these projects have something to send.
  const systems = [
    { name: 'none', projectIds: [] },
    { name: `${blackHoles} in four other projects`, projectIds: four },
    { name: `${blackHoles} in one other project`, projectIds: [one] },
  ];
  const samples = await takeTurns(systems, rounds, async ({ projectIds }) => {
    const before = await silent.count();
    for (const text of [rewindSpans, rewindStitches]) {
      await database.query(skein.databaseUrl, text, [projectIds, skein.projectId]);
    }
    const result = await turn(sender, database, skein.databaseUrl, receiver);
    return { ...result, swallowed: (await silent.count()) - before };
  });
  console.log(
    `\n${count(queued)} queued deliveries of ${goodStitches} good stitches (medians of ${rounds} rounds)\n`,
  );
  const columns = {
    'good deliveries/s': show('perSecond', count),
    [`against none (target: ${fixed(target)})`]: againstFirst,
    'node µs': show('senderMicros', count),
    'PostgreSQL µs': show('databaseMicros', count),
    'requests never answered': show('swallowed', count),
    'rounds, deliveries/s': (of: readonly Outcome[]) =>
      of.map(({ perSecond }) => count(perSecond)).join('; '),
  };
  console.log(compare(samples, columns, 'black holes'));
}
