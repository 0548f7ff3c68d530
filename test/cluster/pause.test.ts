/** SIGSTOP for longer than a lease, then SIGCONT: the others take over, and what the zombie still has in hand does no harm. */
import t from 'tap';
import { eventually } from '../support/eventually.ts';
import { metric, TestCluster } from './support/cluster.ts';
import { Recovery, worst } from './support/recovery.ts';
import { checkAll, startClusterFixture } from './support/cluster-fixture.ts';

t.test('a node that is stopped for longer than its lease', async t => {
  const cluster = await TestCluster.start(t);
  const fixture = await startClusterFixture(t, cluster, { timeoutMs: 1_500 });
  const { load } = fixture;
  await load.more(80);
  const zombie = await cluster.busiest(load.current);
  const witness = cluster.running.find(node => node !== zombie);
  if (witness === undefined) throw new Error('no node to look on');
  const recovery = new Recovery(load, await cluster.ownership(zombie));
  t.ok(recovery.threads > 0, `it had ${recovery.threads} threads that are written to`);
  const before = load.unanswered;
  zombie.pause();
  // As a balancer would, which asks for readiness.
  load.spare(zombie);
  const { p99, max } = worst(await recovery.complete());
  t.ok(load.unanswered > before, 'requests were under way in it');
  const { nodes } = await cluster.getStatus(witness);
  t.notOk(
    nodes.some(({ id }) => id === zombie.id),
    'it is a member no more',
  );

  load.lighten();
  const again = zombie.said('joined the cluster');
  zombie.resume();
  await again;
  load.use(zombie);
  t.equal(await metric(zombie, 'skein_cluster_members'), 3);
  await cluster.balanced();
  await load.more(60);
  await checkAll(t, cluster, fixture);
  t.comment(`writes succeed again, p99 ${p99} ms, max ${max} ms`);
});

t.test('a node that is stopped for less than its lease goes on where it was', async t => {
  const cluster = await TestCluster.start(t, { nodes: 2 });
  const fixture = await startClusterFixture(t, cluster);
  await fixture.load.more(50);
  const [sleeper] = cluster.running;
  if (sleeper === undefined) throw new Error('no node to stop');
  const shards = await cluster.getShards(sleeper);
  sleeper.pause();
  await fixture.load.until(() => fixture.load.answers.length > 0, 'answer');
  const at = performance.now();
  await eventually('half a second', () => Promise.resolve(performance.now() - at > 500));
  sleeper.resume();
  await fixture.load.more(80);
  t.same([...(await cluster.getShards(sleeper))], [...shards], 'with the same shards');
  t.equal(await cluster.total('skein_takeovers_total'), 0);
  t.equal(fixture.load.failed, 0, 'and nobody has noticed');
  await checkAll(t, cluster, fixture);
});
