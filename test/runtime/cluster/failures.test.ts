import t from 'tap';
import { MemoryCluster, latencyMs, type Process, served, share, total, trio } from './cluster-fixture.ts';

t.test('a killed node is found gone, and its shards are taken', async t => {
  const { cluster, one, two, three } = await trio();
  two.kill();
  const ms = await cluster.untilServed();
  t.ok(ms < 400, `${ms} ms`);
  t.strictSame(cluster.owners(), share(cluster, 'one', 'three'));
  t.equal(total([one, three], 'membersGone'), 1, 'one of them removed it');
  t.strictSame(cluster.offences, []);
});

t.test('a node that died or hangs is named as lost until it is back; one that left is not', async t => {
  const { cluster, one, two, three } = await trio();
  const listLost = ({ placement }: Process): readonly string[] => placement.describe().lost;
  await cluster.clock.until(three.placement.drain());
  await cluster.clock.advance(100);
  t.strictSame(Object.keys(cluster.members()).sort(), ['one', 'two']);
  t.strictSame([one, two].map(listLost), [[], []]);
  const four = await cluster.started('four');
  await cluster.clock.advance(4_000);
  two.kill();
  await cluster.untilServed();
  await cluster.clock.advance(60_000);
  t.strictSame([one, four].map(listLost), [['two'], ['two']], 'whoever removed it');
  await cluster.started('two');
  t.strictSame([one, four].map(listLost), [[], []]);
  four.stop();
  await cluster.clock.advance(5_000);
  t.strictSame(listLost(one), ['four']);
  four.resume();
  await cluster.clock.advance(5_000);
  t.strictSame(listLost(one), []);
});

t.test('an ask that finds no owner has the holder looked after at once', async t => {
  const { cluster, one, two } = await trio({ timing: { pingMs: 60_000, refreshMs: 120_000 } });
  const shard = cluster.owners().indexOf('two');
  two.kill();
  await cluster.clock.advance(10);
  for (let ask = 0; ask < 100; ask++) one.placement.suspect(shard);
  const ms = await cluster.untilServed();
  t.ok(ms < 180, `${ms} ms`);
});

t.test('a hung node serves nothing past its lease, is replaced, and finds its way back', async t => {
  const { cluster, one, two, three } = await trio();
  const theirs = two.shards.owned.size;
  two.stop();
  await cluster.clock.advance(2_490);
  t.equal(cluster.members()['two'], 'settled', 'it is given its time');
  await cluster.clock.advance(10);
  t.strictSame(served(cluster, two), [], 'its lease is over');
  const ms = 2_500 + (await cluster.untilServed());
  t.ok(ms < 3_500, `${ms} ms`);
  t.equal(total([one, three], 'membersExpired'), 1);
  t.equal(total([one, three], 'takeovers'), theirs);
  t.equal(two.shards.owned.size, theirs, 'it does not know yet');
  two.resume();
  await cluster.clock.advance(50);
  t.equal(two.shards.owned.size, 0);
  t.equal(two.metrics.counters.leaseExpiries, 1);
  await cluster.clock.advance(4_000);
  t.strictSame(cluster.owners(), share(cluster, 'one', 'two', 'three'));
  t.equal(await cluster.untilServed(), 0);
  t.strictSame(cluster.offences, []);
});

t.test('a node that is stopped for less than its lease keeps its shards', async t => {
  const { cluster, one, two, three } = await trio();
  two.stop();
  await cluster.clock.advance(2_000);
  two.resume();
  await cluster.clock.advance(2_000);
  t.equal(await cluster.untilServed(), 0);
  t.equal(total([one, two, three], 'takeovers'), 0);
});

t.test(
  'a node that loses its connection serves nothing at that moment; back in time, it goes on',
  async t => {
    const { cluster, one, two, three } = await trio();
    two.connected = false;
    t.strictSame(served(cluster, two), []);
    await cluster.clock.advance(100);
    two.connected = true;
    t.ok((await cluster.untilServed()) < 20);
    t.equal(total([one, two, three], 'takeovers'), 0);
  },
);

t.test('a node that is cut off for longer is replaced, drops its shards, and joins again', async t => {
  const { cluster, two } = await trio();
  two.connected = false;
  const ms = await cluster.untilServed();
  t.ok(ms < 400, `${ms} ms`);
  const incarnation = (): string | undefined =>
    two.placement.describe().nodes.find(({ id }) => id === 'two')?.incarnation;
  const before = incarnation();
  two.connected = true;
  await cluster.clock.advance(100);
  t.equal(two.shards.owned.size, 0);
  t.not(incarnation(), before);
  await cluster.clock.advance(4_000);
  t.strictSame(cluster.owners(), share(cluster, 'one', 'two', 'three'));
  t.equal(await cluster.untilServed(), 0);
  t.strictSame(cluster.offences, []);
});

t.test('no member is removed because of an outage of the register', async t => {
  for (const outageMs of [300, 10_000]) {
    const { cluster, one, two, three } = await trio();
    const all = [one, two, three];
    const incarnations = (): string[] => one.placement.describe().nodes.map(({ incarnation }) => incarnation);
    const before = incarnations();
    for (const process of all) process.connected = false;
    await cluster.clock.advance(outageMs);
    // They find their way back one after another.
    for (const process of all) {
      process.connected = true;
      await cluster.clock.advance(300);
    }
    t.ok((await cluster.untilServed()) < 50);
    await cluster.clock.advance(4_000);
    t.strictSame(incarnations(), before);
    t.equal(total(all, 'takeovers'), 0);
    t.strictSame(cluster.offences, []);
  }
});

t.test('a register that was lost is written again', async t => {
  const { cluster } = await trio();
  for (const { key } of cluster.register.entries) cluster.register.write(key, undefined);
  await cluster.clock.advance(6_000);
  t.strictSame(cluster.members(), { one: 'settled', two: 'settled', three: 'settled' });
  t.equal(await cluster.untilServed(), 0);
  t.strictSame(cluster.offences, []);
});

t.test('a hand-over of unknown outcome is made void before the shard is served again', async t => {
  const cluster = new MemoryCluster({ latencyMs, shards: 32, finishMs: () => 5 });
  const one = await cluster.started('one');
  await cluster.clock.advance(3_000);
  const two = await cluster.started('two');
  while (cluster.members()['two'] !== 'settled') await cluster.clock.advance(1);
  await cluster.clock.advance(7);
  cluster.unsure = 1;
  await cluster.clock.advance(5);
  cluster.unsure = 0;
  t.ok(one.unsure.faults > 0);
  t.ok(one.shards.owned.size < 32, 'some were released');
  cluster.register.write('node.two', undefined);
  await cluster.clock.advance(20);
  t.ok(cluster.register.entries.some(({ value }) => value.includes('"kept"')));
  await cluster.untilServed();
  await cluster.clock.advance(8_000);
  t.strictSame(cluster.owners(), share(cluster, 'one', 'two'));
  t.equal(one.shards.owned.size + two.shards.owned.size, 32);
  t.strictSame(cluster.offences, []);
});
