/** A node that is cut off from NATS, but not from the database nor from its clients. */
import t from 'tap';
import { eventually } from '../support/eventually.ts';
import { Proxy } from '../support/proxy.ts';
import { TestCluster } from './support/cluster.ts';
import { checkAll, startClusterFixture } from './support/cluster-fixture.ts';

t.test('a node whose way to NATS is broken', async t => {
  const cluster = await TestCluster.start(t, { nodes: 2 });
  const proxy = new Proxy({ host: '127.0.0.1', port: cluster.nats.port });
  const node = await cluster.add({ NATS_URL: `nats://127.0.0.1:${await proxy.listen()}` });
  t.teardown(() => proxy.close());
  await cluster.balanced();
  const [first] = cluster.running;
  if (first === undefined) throw new Error('no node is left');
  const fixture = await startClusterFixture(t, cluster, { timeoutMs: 1_500 });
  const { load } = fixture;
  await load.more(60);

  // Silence: nothing of what the node says arrives, and it does not know.
  proxy.mute('client');
  await proxy.fired();
  load.lighten();
  await eventually('end of its membership', async () => {
    const { nodes } = await cluster.getStatus(first);
    return nodes.every(({ id }) => id !== node.id);
  });
  await eventually('takeover of its shards', async () => {
    return (await cluster.getShards(first)).size + (await survivors(cluster)) === cluster.shards;
  });
  t.equal((await fetch(`${node.url}/readyz`)).status, 503);
  await load.more(60);
  load.lighten();
  const back = node.said('joined the cluster');
  proxy.cut();
  await back;
  await cluster.balanced();

  // The connection is refused, and comes back before anybody would have missed the node by its lease.
  const lost = node.said('the connection to NATS is lost');
  await proxy.leave();
  await lost;
  await load.more(50);
  await proxy.listen();
  await cluster.balanced();
  await load.more(60);
  await checkAll(t, cluster, fixture);
});

/** Shards of the second node. */
async function survivors(cluster: TestCluster): Promise<number> {
  const [, second] = cluster.running;
  return second === undefined ? 0 : (await cluster.getShards(second)).size;
}
