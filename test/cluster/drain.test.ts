/** SIGTERM under load, and nodes that join under load: a whole cluster is replaced, and no request fails. */
import t from 'tap';
import { TestCluster } from './support/cluster.ts';
import { worst } from './support/recovery.ts';
import { checkAll, startClusterFixture } from './support/cluster-fixture.ts';

t.test('every node is replaced by another, one after the other', async t => {
  const cluster = await TestCluster.start(t);
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
    `the Consoles were told to come back: ${watchers.map(({ codes }) => codes.join()).join(' ')}`,
  );
  await checkAll(t, cluster, fixture);
});
