/** Nodes whose wall clocks are minutes apart: nothing between them is decided by a wall clock. */
import t from 'tap';
import { TestCluster } from './support/cluster.ts';
import type { NodeProcess } from '../support/node-process.ts';
import { Recovery, worst } from './support/recovery.ts';
import { wrongBy } from './support/skewed-clock.ts';
import { checkAll, startClusterFixture } from './support/cluster-fixture.ts';

/** More than any lease, deadline or retry; less than receivers of signed webhooks tolerate. */
const wrongMs = 240_000;

t.test('one node is four minutes ahead, one four minutes behind, and the one ahead dies', async t => {
  const cluster = await TestCluster.start(t, { nodes: 1 });
  const [behind, ahead] = await Promise.all([cluster.add(wrongBy(-wrongMs)), cluster.add(wrongBy(wrongMs))]);
  await cluster.balanced();
  const minutes = (node: NodeProcess): number =>
    Math.round((Number(node.lines.at(-1)?.['time']) - Date.now()) / 60_000);
  t.same([behind, ahead].map(minutes), [-4, 4], 'their clocks are wrong');
  const fixture = await startClusterFixture(t, cluster);
  const { load, webhooks } = fixture;
  webhooks.failing = 10;
  await load.more(60);
  await load.until(() => webhooks.failing === 0, 'refusal of webhooks');
  // A retry is due by the clock of the node that set it, so these come before that one dies.
  await webhooks.arrived([...webhooks.refused]);
  t.equal(load.failed, 0, 'no request failed');
  t.equal(await cluster.total('skein_expired_total'), 0, 'no deadline was taken for over');

  const recovery = new Recovery(load, await cluster.ownership(ahead));
  load.spare(ahead);
  await ahead.kill();
  const { max } = worst(await recovery.complete());
  t.ok(
    max < wrongMs,
    `its shards were taken over within ${max} ms, and not when a wrong clock would have it`,
  );
  load.lighten();
  load.use(await cluster.add(wrongBy(wrongMs)));
  await cluster.balanced();
  await load.more(60);
  await checkAll(t, cluster, fixture);
});
