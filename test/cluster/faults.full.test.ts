/**
 * Faults of one cluster, one after the other, each with a new tenant under load. After each, every acknowledged message is stored once and in
 * order, and every webhook and every Console has received it (cluster-fixture.ts).
 */
import t from 'tap';
import { defaultTiming } from '../../runtime/cluster/timing.ts';
import { eventually } from '../support/eventually.ts';
import { Proxy } from '../support/proxy.ts';
import { metric, TestCluster } from './support/cluster.ts';
import { checkAll, startClusterFixture } from './support/cluster-fixture.ts';
import { killBusiest, Recovery, worst } from './support/recovery.ts';

/** Less than a node waits for an answer of another node that is gone. */
const shortTimeoutMs = 1_500;

// It keeps what it has committed: one of the faults kills the database.
const cluster = await TestCluster.start(t, { durable: true });

/** Number of shards that have changed their owner for a reason, over the nodes that run. */
async function countMoves(...reasons: readonly string[]): Promise<number> {
  const totals = await Promise.all(reasons.map(name => cluster.total(name)));
  return totals.reduce((sum, each) => sum + each, 0);
}

t.test('kill -9 of the busiest node, twice', async t => {
  const fixture = await startClusterFixture(t, cluster);
  const { load } = fixture;
  for (let kill = 0; kill < 2; kill++) {
    await killBusiest(t, cluster, load);
    load.lighten();
    load.use(await cluster.add());
    await cluster.balanced();
  }
  await checkAll(t, cluster, fixture);
});

t.test(
  'a node that is stopped for longer than its lease loses its shards, and does no harm when it goes on',
  async t => {
    const fixture = await startClusterFixture(t, cluster, { timeoutMs: shortTimeoutMs });
    const { load } = fixture;
    await load.more(80);
    const zombie = await cluster.busiest(load.current);
    const witness = cluster.running.find(node => node !== zombie);
    if (witness === undefined) throw new Error('there is no other node');
    const recovery = new Recovery(load, await cluster.ownership(zombie));
    t.ok(recovery.threads > 0, `it owns ${recovery.threads} threads of the load`);
    const before = load.unanswered;
    zombie.pause();
    // A load balancer does so when the node is not ready.
    load.spare(zombie);
    const { p99, max } = worst(await recovery.complete());
    t.ok(load.unanswered > before, 'it had requests in flight');
    const { nodes } = await cluster.getStatus(witness);
    t.notOk(
      nodes.some(({ id }) => id === zombie.id),
      'it is not a member any more',
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
  },
);

t.test('a node that is stopped for less than its lease keeps its shards', async t => {
  const fixture = await startClusterFixture(t, cluster);
  const { load } = fixture;
  await load.more(50);
  const [sleeper] = cluster.running;
  if (sleeper === undefined) throw new Error('there is no node');
  const shards = await cluster.getShards(sleeper);
  const takeovers = await cluster.total('skein_takeovers_total');
  sleeper.pause();
  await load.until(() => load.answers.length > 0, 'answer');
  const at = performance.now();
  await eventually('half a second', () => Promise.resolve(performance.now() - at > 500));
  sleeper.resume();
  await load.more(80);
  t.same([...(await cluster.getShards(sleeper))], [...shards]);
  t.equal(await cluster.total('skein_takeovers_total'), takeovers);
  t.equal(load.failed, 0, 'no request failed');
  await checkAll(t, cluster, fixture);
});

t.test('a node that is cut off from NATS alone loses its shards and comes back', async t => {
  const proxy = new Proxy({ host: '127.0.0.1', port: cluster.nats.port });
  const node = await cluster.add({ NATS_URL: `nats://127.0.0.1:${await proxy.listen()}` });
  t.teardown(() => proxy.close());
  await cluster.balanced();
  const [first, ...others] = cluster.running.filter(each => each !== node);
  if (first === undefined) throw new Error('there is no other node');
  const fixture = await startClusterFixture(t, cluster, { timeoutMs: shortTimeoutMs });
  const { load } = fixture;
  await load.more(60);

  // What the node sends gets lost, and the node does not notice.
  proxy.mute('client');
  await proxy.fired();
  load.lighten();
  await eventually('end of its membership', async () => {
    const { nodes } = await cluster.getStatus(first);
    return nodes.every(({ id }) => id !== node.id);
  });
  await eventually('takeover of its shards', async () => {
    const owned = await Promise.all([first, ...others].map(each => cluster.getShards(each)));
    return owned.reduce((sum, { size }) => sum + size, 0) === cluster.shards;
  });
  t.equal((await fetch(`${node.url}/readyz`)).status, 503);
  await load.more(60);
  load.lighten();
  const back = node.said('joined the cluster');
  proxy.cut();
  await back;
  await cluster.balanced();

  // The connection is refused, and comes back before the lease of the node ends.
  const lost = node.said('the connection to NATS is lost');
  await proxy.leave();
  await lost;
  await load.more(50);
  await proxy.listen();
  await cluster.balanced();
  await load.more(60);
  await checkAll(t, cluster, fixture);
  t.same(await node.stop(), { code: 0, signal: null });
  await cluster.balanced();
});

t.test('kill -9 of NATS', async t => {
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

t.test('kill -9 of the database, twice', async t => {
  const fixture = await startClusterFixture(t, cluster);
  const { load } = fixture;
  const takeovers = await cluster.total('skein_takeovers_total');
  for (let kill = 0; kill < 2; kill++) {
    await load.more(60);
    await cluster.database.kill9();
    const recovery = new Recovery(load, () => true);
    const { p99, max } = worst(await recovery.complete());
    t.comment(`after the database is back, writes succeed again, p99 ${p99} ms, max ${max} ms`);
  }
  await load.more(60);
  t.equal(await cluster.total('skein_takeovers_total'), takeovers, 'no shard has moved');
  await checkAll(t, cluster, fixture);
});

t.test('a node that joins and leaves three times, by SIGTERM and by kill -9, is given no shard', async t => {
  const fixture = await startClusterFixture(t, cluster);
  const { load } = fixture;
  const moves = ['skein_takeovers_total', 'skein_handovers_in_total', 'skein_handovers_out_total'];
  const restless = await cluster.make({ NODE_ID: 'restless' });
  // On a slow machine the others may still move shards.
  await cluster.settled();
  for (let shortStays = 0; shortStays < 3;) {
    const before = await countMoves(...moves);
    load.lighten();
    await restless.start();
    const joined = restless.lines.findLast(({ msg }) => msg === 'joined the cluster');
    if (shortStays % 2 === 0) t.same(await restless.stop(), { code: 0, signal: null });
    else await restless.kill();
    const stayedMs = Date.now() - Number(joined?.['time']);
    await load.more(10);
    if (stayedMs < defaultTiming.joinMs) {
      shortStays++;
      t.equal(await countMoves(...moves), before, 'no shard has moved');
    } else {
      // The machine is so slow that the node was rightly given its share.
      await cluster.balanced();
    }
  }
  t.equal(load.failed, 0, 'no request failed');
  await cluster.balanced();
  await checkAll(t, cluster, fixture);
});

t.test('every node is replaced by another, and no request fails', async t => {
  const fixture = await startClusterFixture(t, cluster);
  const { load, watchers } = fixture;
  for (const old of cluster.running) {
    await load.more(80);
    load.lighten();
    const next = await cluster.make();
    next.spawn();
    const ready = next.said('ready');
    await next.said('connected to NATS');
    load.quicken();
    await ready;
    load.use(next);
    await cluster.balanced();
    const from = load.answers.length;
    await load.more(30);
    const exit = await old.stop();
    load.spare(old);
    t.same(exit, { code: 0, signal: null });
    await load.more(50);
    const took = load.answers.slice(from).map(({ sentAt, answeredAt }) => answeredAt - sentAt);
    const { p99, max } = worst(took);
    t.comment(`${took.length} requests around the drain of ${old.id}: p99 ${p99} ms, max ${max} ms`);
    t.equal(load.failed, 0, 'no request failed');
  }
  t.equal(await cluster.total('skein_takeovers_total'), 0, 'every shard was handed over');
  t.ok(
    watchers.every(({ codes }) => codes.length > 0 && codes.every(code => code === 1001)),
    `the streams were closed with 1001: ${watchers.map(({ codes }) => codes.join()).join(' ')}`,
  );
  await checkAll(t, cluster, fixture);
});
