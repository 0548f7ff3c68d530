/** Nodes that lose the store: one that others can do without leaves its shards to them; where none can write, nothing moves. */
import t from 'tap';
import { decodeMember } from '../../../runtime/cluster/records.ts';
import { served, share, total, trio } from './cluster-fixture.ts';

t.test('a node that cannot write leaves its shards to those that can, until it can', async t => {
  const { cluster, one, two, three } = await trio();
  two.shards.canWrite = false;
  await cluster.clock.advance(6_000);
  t.equal(two.metrics.counters.stepDowns, 1);
  t.same(served(cluster, two), []);
  t.same(cluster.owners(), share(cluster, 'one', 'three'));
  await cluster.untilServed(0);
  await cluster.clock.advance(20_000);
  t.same(Object.keys(cluster.members()).sort(), ['one', 'three'], 'it stays away');

  two.shards.canWrite = true;
  await cluster.clock.advance(5_000);
  t.same(cluster.owners(), share(cluster, 'one', 'two', 'three'), 'it has its share again');
  t.equal(total([one, two, three], 'stepDowns'), 1);
  t.same(cluster.offences, []);
});

t.test('no node leaves its shards while the store is away for all', async t => {
  const { cluster, one, two, three } = await trio();
  const incarnations = (): string[] =>
    cluster.register.entries
      .flatMap(({ key, value }) => (key.startsWith('node.') ? [decodeMember(value).incarnation] : []))
      .sort();
  const before = incarnations();
  // They notice within the time of a probe, and come back one by one.
  for (const [process, waitMs] of [
    [one, 400],
    [two, 700],
    [three, 30_000],
    [two, 1_000],
    [one, 500],
    [three, 0],
  ] as const) {
    process.shards.canWrite = !process.shards.canWrite;
    await cluster.clock.advance(waitMs);
  }
  await cluster.clock.advance(5_000);
  t.equal(total([one, two, three], 'stepDowns'), 0);
  t.same(incarnations(), before);
  t.same(cluster.owners(), share(cluster, 'one', 'two', 'three'));
});

t.test(
  'a node that drains counts for nothing: the last one that stays keeps its shards without the store',
  async t => {
    const { cluster, one, two, three } = await trio();
    await cluster.clock.until(three.placement.drain());
    one.shards.canWrite = false;
    two.shards.canWrite = false;
    await cluster.clock.advance(10_000);
    t.equal(total([one, two], 'stepDowns'), 0);
    await cluster.untilServed(0);
  },
);
