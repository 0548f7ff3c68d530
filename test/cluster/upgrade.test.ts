/** A rolling upgrade: nodes of two versions side by side. */
import t from 'tap';
import { TestCluster } from './support/cluster.ts';
import { otherVersion } from './support/other-version.ts';
import { checkAll, startClusterFixture } from './support/cluster-fixture.ts';

async function releases(cluster: TestCluster): Promise<readonly string[]> {
  const [node] = cluster.running;
  if (node === undefined) throw new Error('no node is left');
  const { nodes } = await cluster.getStatus(node);
  return nodes.map(({ release }) => release).sort();
}

t.test('node after node is stopped, and started again in a new version, under load', async t => {
  const cluster = await TestCluster.start(t);
  const [old = ''] = await releases(cluster);
  const newer = '999.0.0';
  const program = await otherVersion(t, { release: newer });
  const fixture = await startClusterFixture(t, cluster, { senders: 12 });
  const { load } = fixture;
  for (const [place, node] of cluster.running.entries()) {
    await load.more(40);
    t.same(await node.stop(), { code: 0, signal: null });
    load.spare(node);
    load.lighten();
    await node.start(program);
    load.use(node);
    await cluster.balanced();
    const upgraded = place + 1;
    t.same(await releases(cluster), [...Array(3 - upgraded).fill(old), ...Array(upgraded).fill(newer)]);
    await load.more(40);
    t.equal(load.failed, 0, 'no request failed');
  }
  t.equal(await cluster.total('skein_takeovers_total'), 0, 'every shard was handed over');
  await checkAll(t, cluster, fixture);
});
