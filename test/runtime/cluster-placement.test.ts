import t from 'tap';
import { ClusterRefusal } from '../../runtime/cluster/joining.ts';
import { desiredOwner } from '../../runtime/cluster/rendezvous.ts';
import { ClusterWorld, type ClusterWorldOptions, type Process } from './cluster-world.ts';

const latencyMs = (): number => 1;

interface Trio {
  readonly world: ClusterWorld;
  readonly one: Process;
  readonly two: Process;
  readonly three: Process;
}

/** Three settled nodes, each of which serves its share. */
async function trio(options: ClusterWorldOptions = {}): Promise<Trio> {
  const world = new ClusterWorld({ latencyMs, ...options });
  const [one, two, three] = [world.process('one'), world.process('two'), world.process('three')];
  await world.clock.until(Promise.all([one.start(), two.start(), three.start()]));
  await world.clock.advance(4_000);
  return { world, one, two, three };
}

function share(world: ClusterWorld, ...ids: string[]): (string | undefined)[] {
  const members = ids.map(id => ({ id, state: 'settled' as const }));
  return Array.from({ length: world.count }, (_, shard) => desiredOwner(members, shard));
}

/** The shards that the process serves. */
function served(world: ClusterWorld, { shards }: Process): number[] {
  return [...Array(world.count).keys()].filter(shard => shards.serves(shard));
}

function total(processes: readonly Process[], counter: keyof Process['metrics']['counters']): number {
  return processes.reduce((sum, { metrics }) => sum + metrics.counters[counter], 0);
}

t.test('the first node takes everything at once', async t => {
  const world = new ClusterWorld({ shards: 256, latencyMs });
  const before = world.clock.now();
  const one = await world.started('one');
  t.equal(one.shards.owned.size, 256);
  t.ok(world.clock.now() - before < 100, `${world.clock.now() - before} ms`);
  t.equal(await world.untilServed(), 0);
});

t.test('nodes that start together share, and each ends up with its own', async t => {
  const { world } = await trio();
  t.strictSame(world.members(), { one: 'settled', two: 'settled', three: 'settled' });
  t.strictSame(world.owners(), share(world, 'one', 'two', 'three'));
  t.equal(await world.untilServed(), 0);
});

t.test('a new node gets its share when it has been up for a while, and nobody else moves', async t => {
  const world = new ClusterWorld({ latencyMs, shards: 64 });
  const one = await world.started('one');
  await world.clock.advance(3_000);
  const two = await world.started('two');
  t.equal(two.shards.owned.size, 0);
  await world.clock.advance(1_900);
  t.equal(two.shards.owned.size, 0);
  await world.clock.advance(1_000);
  const mine = share(world, 'one', 'two').filter(id => id === 'two').length;
  t.equal(two.shards.owned.size, mine);
  t.strictSame([one.metrics.counters.handoversOut, two.metrics.counters.handoversIn], [mine, mine]);
  t.strictSame(world.owners(), share(world, 'one', 'two'));
  t.strictSame(world.offences, []);
});

t.test('a node that comes and goes every second moves nothing', async t => {
  const world = new ClusterWorld({ latencyMs, shards: 64 });
  const one = await world.started('one');
  await world.clock.advance(3_000);
  for (let round = 0; round < 20; round++) {
    const restless = await world.started('restless');
    await world.clock.advance(1_000);
    if (round % 2 === 0) await world.clock.until(restless.placement.drain());
    else restless.kill();
    await world.clock.advance(1_000);
  }
  t.equal(one.shards.takes, 64);
  t.equal(one.metrics.counters.handoversOut, 0);
});

t.test('a killed node is found gone, and its shards are taken', async t => {
  const { world, one, two, three } = await trio();
  two.kill();
  const ms = await world.untilServed();
  t.ok(ms < 400, `${ms} ms`);
  t.strictSame(world.owners(), share(world, 'one', 'three'));
  t.equal(total([one, three], 'membersGone'), 1, 'one of them removed it');
  t.strictSame(world.offences, []);
});

t.test('an ask that finds no owner has the holder looked after at once', async t => {
  const { world, one, two } = await trio({ timing: { pingMs: 60_000, refreshMs: 120_000 } });
  const shard = world.owners().indexOf('two');
  two.kill();
  await world.clock.advance(10);
  for (let ask = 0; ask < 100; ask++) one.placement.suspect(shard);
  const ms = await world.untilServed();
  t.ok(ms < 180, `${ms} ms`);
});

t.test('a hung node serves nothing past its lease, is replaced, and finds its way back', async t => {
  const { world, one, two, three } = await trio();
  const theirs = two.shards.owned.size;
  two.stop();
  await world.clock.advance(2_490);
  t.equal(world.members()['two'], 'settled', 'it is given its time');
  await world.clock.advance(10);
  t.strictSame(served(world, two), [], 'its lease is over');
  const ms = 2_500 + (await world.untilServed());
  t.ok(ms < 3_500, `${ms} ms`);
  t.equal(total([one, three], 'membersExpired'), 1);
  t.equal(total([one, three], 'takeovers'), theirs);
  t.equal(two.shards.owned.size, theirs, 'it does not know yet');
  two.resume();
  await world.clock.advance(50);
  t.equal(two.shards.owned.size, 0);
  t.equal(two.metrics.counters.leaseExpiries, 1);
  await world.clock.advance(4_000);
  t.strictSame(world.owners(), share(world, 'one', 'two', 'three'));
  t.equal(await world.untilServed(), 0);
  t.strictSame(world.offences, []);
});

t.test('a node that is stopped for less than its lease keeps its shards', async t => {
  const { world, one, two, three } = await trio();
  two.stop();
  await world.clock.advance(2_000);
  two.resume();
  await world.clock.advance(2_000);
  t.equal(await world.untilServed(), 0);
  t.equal(total([one, two, three], 'takeovers'), 0);
});

t.test(
  'a node that loses its connection serves nothing at that moment; back in time, it goes on',
  async t => {
    const { world, one, two, three } = await trio();
    two.connected = false;
    t.strictSame(served(world, two), []);
    await world.clock.advance(100);
    two.connected = true;
    t.ok((await world.untilServed()) < 20);
    t.equal(total([one, two, three], 'takeovers'), 0);
  },
);

t.test('cut off for longer, it is replaced, drops what it had, and joins anew', async t => {
  const { world, two } = await trio();
  two.connected = false;
  const ms = await world.untilServed();
  t.ok(ms < 400, `${ms} ms`);
  const incarnation = (): string | undefined =>
    two.placement.describe().nodes.find(({ id }) => id === 'two')?.incarnation;
  const before = incarnation();
  two.connected = true;
  await world.clock.advance(100);
  t.equal(two.shards.owned.size, 0);
  t.not(incarnation(), before);
  await world.clock.advance(4_000);
  t.strictSame(world.owners(), share(world, 'one', 'two', 'three'));
  t.equal(await world.untilServed(), 0);
  t.strictSame(world.offences, []);
});

t.test('an outage of the register costs nobody its membership', async t => {
  for (const outageMs of [300, 10_000]) {
    const { world, one, two, three } = await trio();
    const all = [one, two, three];
    const incarnations = (): string[] => one.placement.describe().nodes.map(({ incarnation }) => incarnation);
    const before = incarnations();
    for (const process of all) process.connected = false;
    await world.clock.advance(outageMs);
    // They find their way back one after another.
    for (const process of all) {
      process.connected = true;
      await world.clock.advance(300);
    }
    t.ok((await world.untilServed()) < 50);
    await world.clock.advance(4_000);
    t.strictSame(incarnations(), before);
    t.equal(total(all, 'takeovers'), 0);
    t.strictSame(world.offences, []);
  }
});

t.test('a drain hands its shards over, a few at a time, and each has no owner for a moment only', async t => {
  let most = 0;
  const { world, one, two } = await trio({ shards: 64, finishMs: () => 10 });
  const before = two.shards.owned.size;
  const { handoversOut } = two.metrics.counters;
  const drained = two.placement.drain();
  t.equal(two.placement.drain(), drained);
  let isDrained = false;
  drained.then(() => (isDrained = true));
  const unserved = new Map<number, number>();
  while (!isDrained) {
    await world.clock.advance(1);
    let moving = 0;
    for (let shard = 0; shard < 64; shard++) {
      if (world.servers(shard).length > 0) continue;
      moving++;
      unserved.set(shard, (unserved.get(shard) ?? 0) + 1);
    }
    most = Math.max(most, moving);
  }
  t.equal(await world.untilServed(), 0);
  t.equal(unserved.size, before);
  t.ok(Math.max(...unserved.values()) <= 15, `${Math.max(...unserved.values())} ms`);
  t.ok(most <= 8, `${most} at once`);
  t.strictSame(Object.keys(world.members()).sort(), ['one', 'three']);
  t.equal(two.metrics.counters.handoversOut - handoversOut, before);
  t.strictSame(world.owners(), share(world, 'one', 'three'));
  t.equal(one.metrics.counters.takeovers, 0);
  t.strictSame(world.offences, []);
});

t.test('a drain waits for no dead node', async t => {
  const { world, one, two, three } = await trio();
  one.kill();
  const drained = two.placement.drain();
  const before = world.clock.now();
  await world.clock.until(drained);
  t.ok(world.clock.now() - before < 600, `${world.clock.now() - before} ms`);
  await world.untilServed();
  t.equal(three.shards.owned.size, world.count);
});

t.test('a drain is bounded: what cannot finish in time is left to be taken over', async t => {
  let finishMs = 0;
  const { world, one, two, three } = await trio({ finishMs: () => finishMs });
  finishMs = 60_000;
  const before = world.clock.now();
  await world.clock.until(two.placement.drain(), 30_000);
  t.ok(world.clock.now() - before < 12_000, `${world.clock.now() - before} ms`);
  await world.untilServed();
  t.strictSame(Object.keys(world.members()).sort(), ['one', 'three']);
  t.equal(one.shards.owned.size + three.shards.owned.size, world.count);
});

t.test('the last node drains at once, and leaves nothing running', async t => {
  const world = new ClusterWorld({ latencyMs });
  const one = await world.started('one');
  const before = world.clock.now();
  await world.clock.until(one.placement.drain());
  t.ok(world.clock.now() - before < 50);
  t.strictSame(world.members(), {});
  await world.clock.advance(1_000);
  t.equal(world.clock.pending, 0);
  const next = await world.started('next');
  t.equal(next.shards.owned.size, world.count);
});

t.test('a node that dies in its drain is an ordinary dead node', async t => {
  const { world, two } = await trio({ finishMs: () => 100 });
  two.placement.drain();
  await world.clock.advance(50);
  two.kill();
  await world.untilServed(600);
  t.strictSame(world.owners(), share(world, 'one', 'three'));
});

t.test('a second node of one id refuses to start while the first lives', async t => {
  const { world } = await trio();
  const double = world.process('two');
  await t.rejects(world.clock.until(double.start()), ClusterRefusal);
  t.equal(await world.untilServed(), 0);
  await world.clock.until(double.placement.drain());
});

t.test(
  'a leftover of the same id is replaced: at once when it is gone, when it has expired else',
  async t => {
    const { world, one, two } = await trio();
    two.kill();
    const again = world.process('two');
    let before = world.clock.now();
    await world.clock.until(again.start());
    t.ok(world.clock.now() - before < 250, `${world.clock.now() - before} ms`);
    one.stop();
    const other = world.process('one');
    before = world.clock.now();
    await world.clock.until(other.start());
    const took = world.clock.now() - before;
    t.ok(took > 2_000 && took < 3_500, `${took} ms`);
    one.resume();
    await world.clock.advance(8_000);
    t.ok(one.log.some(({ level, message }) => level === 'error' && message.includes('cannot be one again')));
    t.strictSame(world.owners(), share(world, 'one', 'two', 'three'));
    t.equal(one.shards.owned.size, 0);
    t.strictSame(world.offences, []);
  },
);

t.test('a node waits for its forerunner to drain', async t => {
  const { world, two } = await trio({ finishMs: () => 300 });
  const drained = two.placement.drain();
  await world.clock.advance(10);
  const again = world.process('two');
  await world.clock.until(again.start());
  await drained;
  t.strictSame(Object.keys(world.members()).sort(), ['one', 'three', 'two']);
});

t.test('a node of another shard count or another wire version refuses to start', async t => {
  const world = new ClusterWorld({ latencyMs });
  await world.started('one', { release: '1.0.0' });
  await t.rejects(
    world.clock.until(world.process('two', { wire: 99 }).start()),
    /speak version 1 to each other, and this node 99/,
  );
  const larger = new ClusterWorld({ shards: 17, latencyMs });
  larger.register.write('cluster', world.register.at('cluster')?.value);
  await t.rejects(
    larger.clock.until(larger.process('x').start()),
    /born with 16 shards, and this node is set to 17/,
  );
  await world.started('three', { release: '1.1.0' });
  t.strictSame(Object.keys(world.members()), ['one', 'three']);
});

t.test('fields and keys of a newer version are no trouble', async t => {
  const { world, one } = await trio();
  const own = world.register.entries.find(({ key }) => key === 'shard.3');
  world.register.write(
    'shard.3',
    JSON.stringify({ ...(JSON.parse(own?.value ?? '{}') as object), news: [1] }),
  );
  world.register.write('weather.today', 'fine');
  world.register.write('shard.4', 'what is this');
  await world.clock.advance(1_000);
  t.equal(await world.untilServed(), 0);
  t.equal(one.placement.describe().shards.length, world.count);
});

t.test('without the register a node waits, says so, and starts when it is there', async t => {
  const world = new ClusterWorld({ latencyMs });
  const one = world.process('one');
  one.connected = false;
  let isStarted = false;
  const started = one.start().then(() => (isStarted = true));
  await world.clock.advance(30_000);
  t.equal(isStarted, false);
  t.match(one.log, [{ level: 'warn', message: /cannot be joined yet/ }]);
  one.connected = true;
  await world.clock.until(started, 2_500);
  t.equal(await world.untilServed(), 0);
});

t.test('a start that is waiting can be drained', async t => {
  const world = new ClusterWorld({ latencyMs });
  const one = world.process('one');
  one.connected = false;
  const started = one.start();
  await world.clock.advance(1_000);
  await world.clock.until(one.placement.drain());
  await world.clock.until(started);
  one.connected = true;
  await world.clock.advance(5_000);
  t.strictSame([world.members(), world.clock.pending], [{}, 0]);
});

t.test('a register that was lost is written anew', async t => {
  const { world } = await trio();
  for (const { key } of world.register.entries) world.register.write(key, undefined);
  await world.clock.advance(6_000);
  t.strictSame(world.members(), { one: 'settled', two: 'settled', three: 'settled' });
  t.equal(await world.untilServed(), 0);
  t.strictSame(world.offences, []);
});

t.test('writes to the register are few', async t => {
  const { world } = await trio({ shards: 64 });
  const revision = (): number => world.register.write('probe', 'x');
  const before = revision();
  await world.clock.advance(10_000);
  const writes = revision() - before;
  t.ok(writes <= 3 * 21, `${writes} in 10 s of rest`);
});

t.test('a picture says who is there, and why each shard is where it is', async t => {
  const { world, one, two } = await trio();
  const shard = world.owners().indexOf('two');
  two.kill();
  await world.untilServed();
  const { self, state, leasedMs, nodes, shards } = one.placement.describe();
  t.strictSame([self, state], ['one', 'settled']);
  t.ok(leasedMs > 1_000 && leasedMs <= 2_500);
  t.match(
    nodes.map(({ id, state, release }) => [id, state, release]),
    [
      ['one', 'settled', '1.0.0'],
      ['three', 'settled', '1.0.0'],
    ],
  );
  t.match(shards[shard], { shard, owner: world.owners()[shard], since: Number });
  t.match(shards[shard]?.why, /^desired by rendezvous; takeover from two: (gone|left)$/);
  t.ok(shards.every(({ state }) => state === 'held' || state === 'foreign'));
  const lines = (await one.metrics.registry.metrics()).split('\n');
  t.ok(lines.includes('skein_cluster_members 2'));
  t.ok(lines.includes(`skein_cluster_shards{state="held"} ${one.shards.owned.size}`));
});

t.test('options that make no sense are refused by name', async t => {
  const world = new ClusterWorld();
  t.throws(() => world.process('no spaces'), /a node's id is/);
  t.throws(() => world.process('x', { timing: { pingMs: 0 } }), /timing.pingMs must be a positive integer/);
  t.throws(() => world.process('x', { timing: { leaseMs: 1_000 } }), /timing.leaseMs must leave room/);
});
