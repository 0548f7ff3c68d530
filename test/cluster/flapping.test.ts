/** A node that joins and leaves, again and again, by SIGTERM and by kill -9: the others go on as if it were not there. */
import t from 'tap';
import { TestCluster } from './support/cluster.ts';
import { checkAll, startClusterFixture } from './support/cluster-fixture.ts';

const comings = 3;

t.test('a node that comes and goes', async t => {
  const cluster = await TestCluster.start(t, { nodes: 2 });
  const fixture = await startClusterFixture(t, cluster);
  const { load } = fixture;
  const before = await moves(cluster);
  const restless = await cluster.make({ NODE_ID: 'restless' });
  for (let coming = 0; coming < comings; coming++) {
    load.lighten();
    await restless.start();
    // At once: a node that stays for `joinMs` (runtime/cluster/timing.ts) is given its share, and a slow machine is long about anything more.
    if (coming % 2 === 0) t.same(await restless.stop(), { code: 0, signal: null });
    else await restless.kill();
    await load.more(10);
  }
  t.equal(load.failed, 0, 'no request failed');
  t.equal(await moves(cluster), before, 'no shard has moved');
  await cluster.balanced();
  await checkAll(t, cluster, fixture);
});

async function moves(cluster: TestCluster): Promise<number> {
  const counts = ['skein_takeovers_total', 'skein_handovers_in_total', 'skein_handovers_out_total'];
  const totals = await Promise.all(counts.map(name => cluster.total(name)));
  return totals.reduce((sum, each) => sum + each, 0);
}
