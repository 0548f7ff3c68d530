/** What every node knows of the owners, and of their addresses. */
import t from 'tap';
import { decodeMember } from '../../../runtime/cluster/records.ts';
import { MemoryCluster, latencyMs } from './cluster-fixture.ts';

t.test('every node knows the owners and the addresses that they told, and hears of each change', async t => {
  const cluster = new MemoryCluster({ shards: 16, latencyMs });
  const one = await cluster.started('one', { address: 'one.test:9090' });
  const two = await cluster.started('two', { address: 'two.test:9090' });
  const three = await cluster.started('three');
  await cluster.clock.advance(5_000);

  const expected = ['one', 'three', 'two'].map(id => ({
    id,
    address: id === 'three' ? undefined : `${id}.test:9090`,
    shards: cluster.owners().flatMap((owner, shard) => (owner === id ? [shard] : [])),
  }));
  for (const { placement } of [one, two, three]) {
    t.equal(placement.owners.shardCount, 16);
    t.strictSame(placement.owners.listNodes(), expected);
    for (const { address, shards } of expected) {
      for (const shard of shards) t.equal(placement.owners.getAddress(shard), address);
    }
  }

  let changes = 0;
  const stop = one.placement.owners.onChange(() => changes++);
  await cluster.clock.advance(5_000);
  t.equal(changes, 0, 'renewals change nothing');
  await cluster.clock.until(two.placement.drain());
  await cluster.clock.advance(100);
  t.ok(changes > 0);
  t.strictSame(
    one.placement.owners.listNodes().map(({ id }) => id),
    ['one', 'three'],
  );
  t.equal(one.placement.owners.listNodes().flatMap(({ shards }) => shards).length, 16);
  stop();
  changes = 0;
  await cluster.clock.until(three.placement.drain());
  await cluster.clock.advance(100);
  t.equal(changes, 0, 'who has stopped hears nothing');
});

t.test('an entry of a node that knows nothing of addresses has none', t => {
  const old = JSON.stringify({
    incarnation: 'a',
    beat: 1,
    release: '0.1.0',
    wire: 2,
    state: 'settled',
    since: 0,
  });
  t.equal(decodeMember(old).address, undefined);
  t.end();
});
