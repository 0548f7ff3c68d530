import t from 'tap';
import { ClusterWorld, latencyMs, share, trio } from './cluster-fixture.ts';

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
  t.match(shards[shard]?.why, /^desired by rendezvous; takeover from two: (gone|no longer a member)$/);
  t.ok(shards.every(({ state }) => state === 'held' || state === 'foreign'));
  const lines = (await one.metrics.registry.metrics()).split('\n');
  t.ok(lines.includes('skein_cluster_members 2'));
  t.ok(lines.includes(`skein_cluster_shards{state="held"} ${one.shards.owned.size}`));
});
