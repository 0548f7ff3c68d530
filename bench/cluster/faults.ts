/**
 * Twenty faults of each kind in one run of three nodes under load, in random order, each at a random moment, of a random length, and at
 * a random node. Between two of them the cluster comes to rest. In the end, what was acknowledged is held against what is there, and what two stitches' receivers got
 * against the events: one that always answers, and one that refuses one request in twenty.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { NodeProcess } from '../../test/support/node-process.ts';
import { seeded } from '../../test/support/seeded.ts';
import { count, table } from '../support/table.ts';
import { quick } from '../support/turns.ts';
import { ClusterSetup } from './cluster-setup.ts';

const ofEach = quick(20, 1);
/** The run repeats, as far as processes do. */
const random = seeded(1);
/** Not drawn from the above: how many webhooks come differs from run to run. */
const refusals = seeded(2);
/** Requests are repeated elsewhere when a node does not answer: so one that wakes up has them in hand. */
const load = { senders: 24, pauseMs: 100, timeoutMs: 1_500 };
const between = 100;
/** Shorter and longer than a lease. */
const maxMs = 6_000;
/** What the bad receiver refuses; an event twice at most, since a sandbox gives up at the fourth time. */
const refused = { share: 0.05, times: 2 };

type Fault = (setup: ClusterSetup, victim: NodeProcess, ms: number) => Promise<void>;

const faults: Readonly<Record<string, Fault>> = {
  'kill -9 of a node': async (_, victim) => {
    await victim.kill();
    await victim.start();
  },
  'SIGSTOP, then SIGCONT': async (_, victim, ms) => {
    victim.pause();
    await pause(ms);
    victim.resume();
  },
  'SIGTERM, then a new start': async (_, victim) => {
    await victim.stop();
    await victim.start();
  },
  'kill -9 of NATS': async ({ cluster }, _, ms) => {
    await cluster.nats.kill();
    await pause(ms / 4);
    await cluster.nats.restart();
  },
  'kill -9 of the database': ({ cluster }) => cluster.database.kill9(),
  'a node cut off from NATS': async ({ cluster }, victim, ms) => {
    const proxy = cluster.getProxy(victim);
    if (random.next() < 0.5) {
      // Silence: neither end is told.
      proxy.mute(random.next() < 0.5 ? 'client' : 'server');
      await pause(ms);
      proxy.cut();
    } else {
      await proxy.leave();
      await pause(ms);
      await proxy.listen();
    }
  },
};

function shuffled<T>(all: readonly T[]): T[] {
  return all
    .map(each => ({ each, place: random.next() }))
    .sort((a, b) => a.place - b.place)
    .map(({ each }) => each);
}

function createRefusals(): (eventId: string) => boolean {
  const times = new Map<string, number>();
  return eventId => {
    const before = times.get(eventId) ?? 0;
    if (before >= refused.times || refusals.next() >= refused.share) return false;
    times.set(eventId, before + 1);
    return true;
  };
}

export function run(): Promise<void> {
  const perform = async (setup: ClusterSetup): Promise<void> => {
    await setup.openStitch();
    const bad = await setup.openStitch();
    bad.refuses = createRefusals();
    const senders = setup.load(load);
    const names = Object.keys(faults);
    const repeated: Record<string, number> = {};
    const slowest: Record<string, number> = {};
    for (const name of shuffled(names.flatMap(name => Array<string>(ofEach).fill(name)))) {
      await senders.more(Math.ceil(between * random.next()) + 1);
      const before = senders.failed;
      const from = senders.answers.length;
      const victim = setup.victim(Math.floor(random.next() * setup.cluster.running.length));
      await faults[name]?.(setup, victim, maxMs * random.next());
      await setup.cluster.balanced();
      await senders.more(load.senders);
      repeated[name] = (repeated[name] ?? 0) + senders.failed - before;
      const waits = senders.answers.slice(from).map(({ sentAt, answeredAt }) => answeredAt - sentAt);
      slowest[name] = Math.max(slowest[name] ?? 0, ...waits);
    }
    const verdict = await setup.verdict();
    const deliveries = await setup.deliveryVerdict();
    console.log(`\n${ofEach} faults of each kind under load, in random order\n`);
    const rows = names.map(name => [
      name,
      String(ofEach),
      count(repeated[name] ?? 0),
      `${count(slowest[name] ?? 0)} ms`,
    ]);
    console.log(table(['', 'faults', 'requests repeated', 'longest wait for an answer'], rows));
    console.log();
    console.log(table(['', 'measured', 'target'], [...verdict, ...deliveries]));
  };
  return ClusterSetup.with(perform, { proxied: true });
}
