/**
 * Faults of six kinds in one run of three nodes under load, in random order, at random moments, of random lengths, and at random nodes. The cluster
 * comes to rest between two of them.
 */
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import type { NodeProcess } from '../support/node-process.ts';
import { seeded } from '../support/seeded.ts';
import { TestCluster } from './support/cluster.ts';
import { checkAll, startClusterFixture } from './support/cluster-fixture.ts';

const ofEach = 3;
/** The order repeats, as far as processes do. */
const random = seeded(1);
/** Shorter and longer than a lease. */
const maxMs = 6_000;

const cluster = await TestCluster.start(t, { durable: true, proxied: true });

const faults: Readonly<Record<string, (victim: NodeProcess, ms: number) => Promise<unknown>>> = {
  'kill -9 of a node': async victim => {
    await victim.kill();
    await victim.start();
  },
  'SIGSTOP, then SIGCONT': async (victim, ms) => {
    victim.pause();
    await pause(ms);
    victim.resume();
  },
  'SIGTERM, then a new start': async victim => {
    await victim.stop();
    await victim.start();
  },
  'kill -9 of NATS': async (_, ms) => {
    await cluster.nats.kill();
    await pause(ms / 4);
    await cluster.nats.restart();
  },
  'kill -9 of the database': () => cluster.database.kill9(),
  'a node cut off from NATS': async (victim, ms) => {
    const proxy = cluster.getProxy(victim);
    if (random.next() < 0.5) {
      // Silence: neither end notices.
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

t.test(`${ofEach} faults of each kind in random order`, async t => {
  const fixture = await startClusterFixture(t, cluster, { senders: 12, pauseMs: 100, timeoutMs: 1_500 });
  const { load } = fixture;
  const order = Object.keys(faults)
    .flatMap(name => Array<string>(ofEach).fill(name))
    .map(name => ({ name, place: random.next() }))
    .sort((a, b) => a.place - b.place);
  for (const { name } of order) {
    await load.more(Math.ceil(50 * random.next()) + 1);
    const { running } = cluster;
    const victim = running[Math.floor(random.next() * running.length)];
    if (victim === undefined) throw new Error('no node is left');
    const before = load.answers.length;
    await faults[name]?.(victim, maxMs * random.next());
    await cluster.balanced();
    await load.more(12);
    t.ok(load.answers.length > before, name);
  }
  // Logs may have errors: the database is killed.
  await checkAll(t, cluster, fixture, []);
});
