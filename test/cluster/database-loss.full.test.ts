/**
 * A node that cannot reach the database, and has NATS: the others take its shards, those of the maintenance among them, until it can write
 * again. When none can write, nothing moves.
 */
import t from 'tap';
import { eventually } from '../support/eventually.ts';
import { checkAll, startClusterFixture } from './support/cluster-fixture.ts';
import { metric, TestCluster } from './support/cluster.ts';

t.test('the database is lost', async t => {
  const cluster = await TestCluster.start(t, { proxiedDatabase: true, durable: true });
  const [first] = cluster.nodes;
  if (first === undefined) throw new Error('the cluster has no nodes');
  const fixture = await startClusterFixture(t, cluster);
  const { load } = fixture;
  await load.more(60);
  const leaderId = (await cluster.getStatus(first)).shards[0]?.owner;
  const leader = cluster.nodes.find(({ id }) => id === leaderId);
  if (leader === undefined) throw new Error('shard 0 has no owner');
  const others = cluster.nodes.filter(node => node !== leader);
  const [other = first] = others;

  await t.test('by the node that maintains the database', async t => {
    const proxy = cluster.getDatabaseProxy(leader);
    load.spare(leader);
    const stepped = leader.said(({ msg }) => msg.startsWith('this node cannot write to the database'));
    await proxy.leave();
    await stepped;
    await cluster.balanced(others);
    const { nodes, shards } = await cluster.getStatus(other);
    t.same(nodes.map(({ id }) => id).sort(), others.map(({ id }) => id).sort());
    t.not(shards[0]?.owner, leader.id, 'another node maintains the database');
    t.equal((await fetch(`${leader.url}/readyz`)).status, 503);
    await load.more(60);

    await proxy.listen();
    await cluster.settled();
    t.equal((await cluster.getStatus(other)).shards[0]?.owner, leader.id, 'it has its shards again');
    load.use(leader);
    await load.more(60);
  });

  await t.test('by all nodes', async t => {
    const before = (await cluster.getStatus(other)).nodes.map(({ id, incarnation }) => [id, incarnation]);
    const stepDowns = await cluster.total('skein_lease_step_downs_total');
    const refused = load.unavailable;
    await cluster.database.stopServer();
    // Each sender waits a second after each: twice the time in which a node would step down.
    await eventually('refusal of every sender, ten times', () =>
      Promise.resolve(load.unavailable >= refused + 160),
    );
    await cluster.database.startServer();
    await load.more(60);
    const after = (await cluster.getStatus(other)).nodes.map(({ id, incarnation }) => [id, incarnation]);
    t.same(after, before, 'every node is the member that it was');
    t.equal(await metric(leader, 'skein_lease_step_downs_total'), 1);
    t.equal(await cluster.total('skein_lease_step_downs_total'), stepDowns, 'no node stepped down');
  });

  await checkAll(t, cluster, fixture);
});
