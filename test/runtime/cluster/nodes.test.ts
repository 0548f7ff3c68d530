/** Whole nodes under leases: what a client sees of a drain, a death and a stopped process. */
import t, { type Test } from 'tap';
import { LeasedPlacement } from '../../../runtime/cluster/leased-placement.ts';
import { Metrics } from '../../../runtime/observability/metrics.ts';
import { Node } from '../../../runtime/node/node.ts';
import { murmur3 } from '../../../runtime/placement/shards.ts';
import { LocalBus, LocalTransport } from '../../../runtime/transport/local.ts';
import { MemoryPeers, PeersBus } from '../../support/memory-peers.ts';
import { MemoryRegister, RegisterBus } from '../../support/memory-register.ts';
import { MemoryDatabase, MemoryStore } from '../../support/memory-store.ts';
import { ProcessClock } from '../../support/process-clock.ts';
import { seeded } from '../../support/seeded.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { counterKind, counterRef, type Counted } from '../counter-actor.ts';
import { outcome, recordingLog, type LogLine } from '../node-fixture.ts';

const actors = Array.from({ length: 12 }, (_, i) => `counter-${i}`);

class Member {
  readonly clock: ProcessClock;
  readonly node: Node;
  readonly metrics = new Metrics();
  readonly log: LogLine[] = [];
  readonly register: MemoryRegister;
  readonly peers: MemoryPeers;

  constructor({ clock, bus, register, peers, database }: Cluster, id: string) {
    this.clock = new ProcessClock(clock);
    const latencyMs = (): number => 1;
    const log = recordingLog(this.log);
    const parts = { clock: this.clock, random: seeded(murmur3(id)), log, metrics: this.metrics };
    this.register = new MemoryRegister({ bus: register, clock: this.clock, latencyMs });
    this.peers = new MemoryPeers({ bus: peers, clock: this.clock, latencyMs });
    this.node = new Node({
      ...parts,
      kinds: [counterKind()],
      store: new MemoryStore({ clock: this.clock, database, latencyMs: () => 10 }),
      transport: new LocalTransport({ clock: this.clock, log, bus }),
      shards: 16,
      placement: new LeasedPlacement({
        ...parts,
        id,
        release: '1',
        register: this.register,
        peers: this.peers,
      }),
    });
  }
}

class Cluster {
  readonly clock = new VirtualClock();
  readonly bus = new LocalBus();
  readonly register = new RegisterBus();
  readonly peers = new PeersBus();
  readonly database = new MemoryDatabase();
}

interface Asked {
  readonly actor: string;
  readonly mark: string;
  readonly at: number;
  result?: unknown;
  answeredAt?: number;
}

/** Three nodes under load from the first: `middle` happens after a second; the load goes on for four more. */
async function underLoad(
  t: Test,
  middle: (two: Member, clock: VirtualClock, all: readonly Member[]) => unknown,
): Promise<Asked[]> {
  const cluster = new Cluster();
  const { clock, database } = cluster;
  const [one, two, three] = [
    new Member(cluster, 'one'),
    new Member(cluster, 'two'),
    new Member(cluster, 'three'),
  ];
  await clock.until(Promise.all([one, two, three].map(({ node }) => node.start())));
  await clock.advance(4_000);
  t.teardown(() => clock.until(Promise.all([one.node.drain(), three.node.drain()])));
  const asked: Asked[] = [];
  for (let i = 0; i < 1_000; i++) {
    if (i === 200) void middle(two, clock, [one, two, three]);
    const from = i % 2 === 0 ? one : three;
    const actor = actors[i % actors.length] ?? '';
    const entry: Asked = { actor, mark: `${i}`, at: clock.now() };
    asked.push(entry);
    void outcome(from.node.ask(counterRef(actor), 'add', { mark: entry.mark })).then(result => {
      entry.result = result;
      entry.answeredAt = clock.now();
    });
    await clock.advance(5);
  }
  await clock.advance(12_000);
  for (const actor of actors) {
    const { marks } = database.read(counterRef(actor))?.state as Counted;
    t.equal(new Set(marks).size, marks.length, 'nothing was applied twice');
    for (const { mark, result } of asked.filter(entry => entry.actor === actor)) {
      if (typeof result === 'number') t.equal(marks[result - 1], mark, 'what was acknowledged is there');
    }
  }
  return asked;
}

function slowest(asked: readonly Asked[]): number {
  return Math.max(...asked.map(({ at, answeredAt }) => (answeredAt ?? Infinity) - at));
}

t.test('a drain under load fails no request, and no write of one node is in the way of another', async t => {
  let members: readonly Member[] = [];
  const asked = await underLoad(t, (two, _, all) => {
    members = all;
    return two.node.drain();
  });
  t.strictSame(
    members.map(({ metrics }) => metrics.counters.fenced),
    [0, 0, 0],
  );
  t.strictSame(
    asked.filter(({ result }) => typeof result !== 'number'),
    [],
  );
  t.ok(slowest(asked) < 200, `${slowest(asked)} ms`);
});

t.test('after a kill, what was not on the dead node when it died is done in less than a second', async t => {
  const asked = await underLoad(t, two => {
    two.clock.kill();
    two.register.connected = false;
    two.peers.connected = false;
  });
  const failed = asked.filter(({ result }) => typeof result !== 'number');
  t.ok(failed.length <= 4, `${failed.length} were under way`);
  const done = asked.filter(entry => !failed.includes(entry));
  t.ok(slowest(done) > 100, 'some had to wait');
  t.ok(slowest(done) < 1_000, `${slowest(done)} ms`);
});

t.test(
  'a process that is stopped beyond its lease is replaced, and what it still had to write is refused',
  async t => {
    let stoppedAt = 0;
    let fenced = (): number => 0;
    const asked = await underLoad(t, (two, clock) => {
      stoppedAt = clock.now();
      fenced = () => two.metrics.counters.fenced;
      two.clock.stop();
      two.peers.hung = true;
      clock.after(3_900, () => {
        two.peers.hung = false;
        two.clock.resume();
      });
    });
    const late = asked.filter(({ at }) => at >= stoppedAt + 3_000);
    t.ok(late.length > 100);
    t.strictSame(
      late.filter(({ result }) => typeof result !== 'number'),
      [],
    );
    t.ok(slowest(late) < 1_000, `${slowest(late)} ms`);
    t.ok(fenced() > 0, 'it had something to write, and others had written meanwhile');
  },
);
