/**
 * One simulation:
 *
 *   warm-up   some nodes start, and clients and watchers begin
 *   chaos     whatever this seed's faults are
 *   calm      everything is put right; clients see their wishes through; reminders, deliveries and streams catch up
 *   verdict   every actor is asked over every node, and the invariants are looked at
 */
import { Chaos } from './chaos.ts';
import { Clients } from './clients.ts';
import { conversations } from './conversation.ts';
import { Watcher } from './console.ts';
import { projects } from './database.ts';
import type { FaultCounts } from './faults.ts';
import { Fleet } from './fleet.ts';
import { checkFinalState } from './final-checks.ts';
import type { Violation } from './invariants.ts';
import type { LoadName } from './load.ts';
import type { Member } from './member.ts';
import { beginning } from './machine.ts';
import { Simulation } from './simulation.ts';
import { StitchOwner } from './stitch-owner.ts';

const clientCount = 4;
const warmUpMs = 1_000;
/** What is not in order by then is stuck: a client asks again and again, and each ask has its own ten seconds. */
const maxCalmMs = 480_000;
const lookMs = 200;

export interface Outcome {
  readonly seed: number;
  readonly violations: readonly Violation[];
  readonly faults: FaultCounts;
  /** The same for every run of the seed. */
  readonly fingerprint: number;
  readonly steps: number;
  readonly virtualMs: number;
  readonly operations: number;
  readonly acknowledged: number;
  /** When it was asked for. */
  readonly story: readonly string[];
}

/** Never rejects: an error of the simulation is a violation, too. */
export async function simulate(
  seed: number,
  { isTold = false, load }: { readonly isTold?: boolean; readonly load?: LoadName | undefined } = {},
): Promise<Outcome> {
  const simulation = new Simulation(seed, isTold, load);
  const fleet = new Fleet(simulation);
  simulation.tell(() => `faults: ${simulation.faults.enabled.join(', ')}`);
  for (let i = 0; i < 2 + Math.floor(simulation.random('size').next() * 3); i++) fleet.start();
  const clients = new Clients(fleet, clientCount);
  simulation.database.witness(() => simulation.receiver.snapshot());
  simulation.database.witness(() => clients.snapshot());
  const owner = new StitchOwner(fleet);
  const watchers = projects.map(projectId => watch(projectId, simulation, fleet));
  try {
    await play(simulation, fleet, { clients, owner }, watchers);
    checkFinalState(simulation, fleet, clients, watchers);
  } catch (error) {
    simulation.verdict.broken(
      'nothing fails that nobody broke',
      error instanceof Error ? (error.stack ?? '') : String(error),
    );
  }
  const { faults, schedule, verdict, fingerprint, story } = simulation;
  return {
    seed,
    fingerprint,
    story,
    violations: verdict.violations,
    faults: faults.counts,
    steps: schedule.steps,
    virtualMs: schedule.now,
    operations: clients.operations.length,
    acknowledged: clients.operations.filter(({ outcome }) => outcome === 'ok').length,
  };
}

function watch(projectId: string, simulation: Simulation, fleet: Fleet): Watcher {
  const { schedule, database, verdict, faults } = simulation;
  const random = simulation.random('watchers');
  const pickEndpoint = (): Member | undefined => fleet.open[Math.floor(random.next() * fleet.open.length)];
  return new Watcher({ projectId, schedule, database, verdict, faults, random, endpoint: pickEndpoint });
}

async function play(
  simulation: Simulation,
  fleet: Fleet,
  { clients, owner }: People,
  watchers: readonly Watcher[],
): Promise<void> {
  const { schedule, verdict } = simulation;
  let isDone = false;
  const over = act().finally(() => (isDone = true));
  await schedule.run(() => isDone, Infinity);
  await over;

  async function act(): Promise<void> {
    await schedule.sleep(warmUpMs);
    const chaos = new Chaos(fleet);
    const { minChaosMs, maxChaosMs } = simulation.load;
    const span = simulation.random('size').next() * (maxChaosMs - minChaosMs);
    await schedule.sleep(minChaosMs + span);
    chaos.end();
    clients.stop();
    owner.stop();
    const end = schedule.now + maxCalmMs;
    let open = unfinished(simulation, fleet, { clients, owner }, watchers);
    while (open.length > 0 && schedule.now < end) {
      await schedule.sleep(lookMs);
      open = unfinished(simulation, fleet, { clients, owner }, watchers);
    }
    for (const { invariant, detail } of open) verdict.broken(invariant, detail);
    for (const member of fleet.open) {
      for (const conversation of conversations) {
        if (await clients.reaches(member, conversation)) continue;
        verdict.broken('no actor is stuck', `${conversation} does not answer over ${member.name}`);
      }
    }
    for (const watcher of watchers) watcher.stop();
  }
}

/** Who uses the cluster. */
interface People {
  readonly clients: Clients;
  readonly owner: StitchOwner;
}

type Open = Pick<Violation, 'invariant' | 'detail'>;

/** What is still to come, and has to. */
function unfinished(
  simulation: Simulation,
  fleet: Fleet,
  { clients, owner }: People,
  watchers: readonly Watcher[],
): Open[] {
  const { database, receiver } = simulation;
  const open: Open[] = [];
  if (clients.busy > 0)
    open.push({ invariant: 'no actor is stuck', detail: `${clients.busy} wishes are open` });
  if (owner.isBusy) open.push({ invariant: 'no actor is stuck', detail: 'a command to a stitch is open' });
  open.push(...database.owed.listOpen());
  for (const { to, key, at } of database.rows.reminders.values()) {
    // Of a stitch they may be for a hold that nothing waits for.
    if (to.kind === 'stitch' && at > beginning + database.clockOffset + simulation.schedule.now) continue;
    open.push({ invariant: 'every reminder fires', detail: `${key} of ${to.id} was due at ${at}` });
  }
  for (const [conversation, marks] of database.marks) {
    const seen = receiver.seen.get(conversation) ?? 0;
    if (seen === marks.length) continue;
    open.push({
      invariant: 'every event is delivered',
      detail: `${conversation}: ${seen} of ${marks.length}`,
    });
  }
  for (const { seq, epoch, projectId } of watchers) {
    const head = database.events.get(projectId)?.length ?? 0;
    if (seq !== head || epoch !== database.epoch) {
      open.push({
        invariant: 'every event is shown once, in order',
        detail: `${projectId}: ${seq} of ${head} in ${epoch}`,
      });
    }
  }
  for (const member of fleet.alive) {
    const { admitted, outgoing, reminders } = member.stats;
    if (admitted + outgoing + reminders === 0) continue;
    const detail = `${member.name}: ${admitted} admitted, ${outgoing} outgoing, ${reminders} reminders`;
    open.push({ invariant: 'nothing leaks', detail });
  }
  return open;
}
