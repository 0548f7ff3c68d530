/** A node that joins and leaves, again and again, by SIGTERM and by kill -9: the others go on as if it were not there. */
import t from 'tap';
import { defaultTiming } from '../../runtime/cluster/timing.ts';
import { TestCluster } from './support/cluster.ts';
import { checkAll, startClusterFixture } from './support/cluster-fixture.ts';

const comings = 3;
/** A node that stays for longer is given its share. */
const { joinMs } = defaultTiming;

t.test('a node that comes and goes', async t => {
  const cluster = await TestCluster.start(t, { nodes: 2 });
  const fixture = await startClusterFixture(t, cluster);
  const { load } = fixture;
  const restless = await cluster.make({ NODE_ID: 'restless' });
  // On a slow machine the two may still be sharing out.
  await cluster.settled();
  for (let shortStays = 0; shortStays < comings;) {
    const before = await moves(cluster);
    load.lighten();
    await restless.start();
    const [joined] = restless.lines.filter(({ msg }) => msg === 'joined the cluster').slice(-1);
    if (shortStays % 2 === 0) t.same(await restless.stop(), { code: 0, signal: null });
    else await restless.kill();
    const stayedMs = Date.now() - Number(joined?.['time']);
    await load.more(10);
    if (stayedMs < joinMs) {
      shortStays++;
      t.equal(await moves(cluster), before, 'no shard has moved');
    } else {
      // The machine is slow, and the node was rightly given its share: that is another test.
      await cluster.balanced();
    }
  }
  t.equal(load.failed, 0, 'no request failed');
  await cluster.balanced();
  await checkAll(t, cluster, fixture);
});

async function moves(cluster: TestCluster): Promise<number> {
  const counts = ['skein_takeovers_total', 'skein_handovers_in_total', 'skein_handovers_out_total'];
  const totals = await Promise.all(counts.map(name => cluster.total(name)));
  return totals.reduce((sum, each) => sum + each, 0);
}
