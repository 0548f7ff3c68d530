/** kill -9 of a node under load: the others take over its threads, and no acknowledged message is lost. */
import t from 'tap';
import { TestCluster } from './support/cluster.ts';
import { checkAll, startClusterFixture } from './support/cluster-fixture.ts';
import { killBusiest } from './support/recovery.ts';

t.test('kill -9 of one of three nodes under load', async t => {
  const cluster = await TestCluster.start(t);
  const fixture = await startClusterFixture(t, cluster);
  await killBusiest(t, cluster, fixture.load);
  await fixture.load.more(60);
  await checkAll(t, cluster, fixture);
});
