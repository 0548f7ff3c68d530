import t from 'tap';
import { MemoryCluster, latencyMs, share, trio } from './cluster-fixture.ts';

t.test('the first node takes everything at once', async t => {
  const cluster = new MemoryCluster({ shards: 256, latencyMs });
  const before = cluster.clock.now();
  const one = await cluster.started('one');
  t.equal(one.shards.owned.size, 256);
  t.ok(cluster.clock.now() - before < 100, `${cluster.clock.now() - before} ms`);
  t.equal(await cluster.untilServed(), 0);
});

t.test('nodes that start together share, and each ends up with its own', async t => {
  const { cluster } = await trio();
  t.strictSame(cluster.members(), { one: 'settled', two: 'settled', three: 'settled' });
  t.strictSame(cluster.owners(), share(cluster, 'one', 'two', 'three'));
  t.equal(await cluster.untilServed(), 0);
});

t.test('a new node gets its share when it has been up for a while, and no other shards move', async t => {
  const cluster = new MemoryCluster({ latencyMs, shards: 64 });
  const one = await cluster.started('one');
  await cluster.clock.advance(3_000);
  const two = await cluster.started('two');
  t.equal(two.shards.owned.size, 0);
  await cluster.clock.advance(1_900);
  t.equal(two.shards.owned.size, 0);
  await cluster.clock.advance(1_000);
  const mine = share(cluster, 'one', 'two').filter(id => id === 'two').length;
  t.equal(two.shards.owned.size, mine);
  t.strictSame([one.metrics.counters.handoversOut, two.metrics.counters.handoversIn], [mine, mine]);
  t.strictSame(cluster.owners(), share(cluster, 'one', 'two'));
  t.strictSame(cluster.offences, []);
});

t.test('a node that joins and leaves every second moves no shards', async t => {
  const cluster = new MemoryCluster({ latencyMs, shards: 64 });
  const one = await cluster.started('one');
  await cluster.clock.advance(3_000);
  for (let round = 0; round < 20; round++) {
    const restless = await cluster.started('restless');
    await cluster.clock.advance(1_000);
    if (round % 2 === 0) await cluster.clock.until(restless.placement.drain());
    else restless.kill();
    await cluster.clock.advance(1_000);
  }
  t.equal(one.shards.takes, 64);
  t.equal(one.metrics.counters.handoversOut, 0);
});

t.test('a drain hands its shards over, a few at a time, and each has no owner for a moment only', async t => {
  let most = 0;
  const { cluster, one, two } = await trio({ shards: 64, finishMs: () => 10 });
  const before = two.shards.owned.size;
  const { handoversOut } = two.metrics.counters;
  const drained = two.placement.drain();
  t.equal(two.placement.drain(), drained);
  let isDrained = false;
  drained.then(() => (isDrained = true));
  const unserved = new Map<number, number>();
  while (!isDrained) {
    await cluster.clock.advance(1);
    let moving = 0;
    for (let shard = 0; shard < 64; shard++) {
      if (cluster.servers(shard).length > 0) continue;
      moving++;
      unserved.set(shard, (unserved.get(shard) ?? 0) + 1);
    }
    most = Math.max(most, moving);
  }
  t.equal(await cluster.untilServed(), 0);
  t.equal(unserved.size, before);
  t.ok(Math.max(...unserved.values()) <= 15, `${Math.max(...unserved.values())} ms`);
  t.ok(most <= 8, `${most} at once`);
  t.strictSame(Object.keys(cluster.members()).sort(), ['one', 'three']);
  t.equal(two.metrics.counters.handoversOut - handoversOut, before);
  t.strictSame(cluster.owners(), share(cluster, 'one', 'three'));
  t.equal(one.metrics.counters.takeovers, 0);
  t.strictSame(cluster.offences, []);
});

t.test('a drain waits for no dead node', async t => {
  const { cluster, one, two, three } = await trio();
  one.kill();
  const drained = two.placement.drain();
  const before = cluster.clock.now();
  await cluster.clock.until(drained);
  t.ok(cluster.clock.now() - before < 600, `${cluster.clock.now() - before} ms`);
  await cluster.untilServed();
  t.equal(three.shards.owned.size, cluster.count);
});

t.test('a drain is bounded: what cannot finish in time is left to be taken over', async t => {
  let finishMs = 0;
  const { cluster, one, two, three } = await trio({ finishMs: () => finishMs });
  finishMs = 60_000;
  const before = cluster.clock.now();
  await cluster.clock.until(two.placement.drain(), 30_000);
  t.ok(cluster.clock.now() - before < 12_000, `${cluster.clock.now() - before} ms`);
  await cluster.untilServed();
  t.strictSame(Object.keys(cluster.members()).sort(), ['one', 'three']);
  t.equal(one.shards.owned.size + three.shards.owned.size, cluster.count);
});

t.test('the last node drains at once, and leaves nothing running', async t => {
  const cluster = new MemoryCluster({ latencyMs });
  const one = await cluster.started('one');
  const before = cluster.clock.now();
  await cluster.clock.until(one.placement.drain());
  t.ok(cluster.clock.now() - before < 50);
  t.strictSame(cluster.members(), {});
  await cluster.clock.advance(1_000);
  t.equal(cluster.clock.pending, 0);
  const next = await cluster.started('next');
  t.equal(next.shards.owned.size, cluster.count);
});

t.test('a node that dies in its drain is an ordinary dead node', async t => {
  const { cluster, two } = await trio({ finishMs: () => 100 });
  two.placement.drain();
  await cluster.clock.advance(50);
  two.kill();
  await cluster.untilServed(600);
  t.strictSame(cluster.owners(), share(cluster, 'one', 'three'));
});

t.test('writes to the register are few', async t => {
  const { cluster } = await trio({ shards: 64 });
  const revision = (): number => cluster.register.write('probe', 'x');
  const before = revision();
  await cluster.clock.advance(10_000);
  const writes = revision() - before;
  t.ok(writes <= 3 * 21, `${writes} in 10 s of rest`);
});

t.test("the status lists the members and the reason for each shard's owner", async t => {
  const { cluster, one, two } = await trio();
  const shard = cluster.owners().indexOf('two');
  two.kill();
  await cluster.untilServed();
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
  const owner = cluster.owners()[shard];
  t.match(shards[shard], { shard, owner, since: Number, cause: 'takeover', from: 'two', desired: owner });
  t.match(shards[shard]?.why, /^desired by rendezvous; takeover from two: (gone|no longer a member)$/);
  t.ok(shards.every(({ state }) => state === 'held' || state === 'foreign'));
  const lines = (await one.metrics.registry.metrics()).split('\n');
  t.ok(lines.includes('skein_cluster_members 2'));
  t.ok(lines.includes(`skein_cluster_shards{state="held"} ${one.shards.owned.size}`));
});
