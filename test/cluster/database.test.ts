/** The database dies and comes back under a cluster. */
import t from 'tap';
import { TestCluster } from './support/cluster.ts';
import { Recovery, worst } from './support/recovery.ts';
import { checkAll, startClusterFixture } from './support/cluster-fixture.ts';

t.test('kill -9 of the database under load, twice', async t => {
  const cluster = await TestCluster.start(t, { durable: true });
  const fixture = await startClusterFixture(t, cluster);
  const { load } = fixture;
  for (let kill = 0; kill < 2; kill++) {
    await load.more(60);
    await cluster.database.kill9();
    const recovery = new Recovery(load, () => true);
    const { p99, max } = worst(await recovery.complete());
    t.comment(`after the database is back, writes succeed again, p99 ${p99} ms, max ${max} ms`);
  }
  await load.more(60);
  t.equal(await cluster.total('skein_takeovers_total'), 0, 'no shard has moved for it');
  await checkAll(t, cluster, fixture);
});
