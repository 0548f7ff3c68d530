/** NATS dies and comes back under a cluster. */
import t from 'tap';
import { TestCluster } from './support/cluster.ts';
import { Recovery, worst } from './support/recovery.ts';
import { checkAll, startClusterFixture } from './support/cluster-fixture.ts';

t.test('kill -9 of NATS under load', async t => {
  const cluster = await TestCluster.start(t);
  const fixture = await startClusterFixture(t, cluster, { timeoutMs: 3_000 });
  const { load } = fixture;
  await load.more(60);
  const lost = cluster.running.map(node => node.said('the connection to NATS is lost'));
  await cluster.nats.kill();
  await Promise.all(lost);
  const readiness = await Promise.all(cluster.running.map(node => fetch(`${node.url}/readyz`)));
  t.same(
    readiness.map(({ status }) => status),
    [503, 503, 503],
  );
  await cluster.nats.restart();
  const recovery = new Recovery(load, () => true);
  const { p99, max } = worst(await recovery.complete());
  t.comment(`after NATS is back, writes succeed again, p99 ${p99} ms, max ${max} ms`);
  await load.more(60);
  await cluster.balanced();
  await checkAll(t, cluster, fixture);
});
