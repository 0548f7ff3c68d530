/** kill -9 of a node under load: its threads are taken over by the others, and nothing that was acknowledged is lost. */
import t from 'tap';
import { TestCluster } from './support/cluster.ts';
import { Recovery, worst } from './support/recovery.ts';
import { checkAll, startClusterFixture } from './support/cluster-fixture.ts';

const kills = 3;

t.test(`${kills} times kill -9 of one of three nodes under load`, async t => {
  const cluster = await TestCluster.start(t);
  const fixture = await startClusterFixture(t, cluster);
  const { load } = fixture;
  const all: number[] = [];
  for (let kill = 0; kill < kills; kill++) {
    await load.more(80);
    const victim = await cluster.busiest(load.current);
    const recovery = new Recovery(load, await cluster.ownership(victim));
    load.spare(victim);
    await victim.kill();
    t.ok(recovery.threads > 0, `it had ${recovery.threads} threads that are written to`);
    const took = await recovery.complete();
    all.push(...took);
    t.comment(`kill ${kill + 1}: writes succeed again after ${took.map(Math.round).join(' ')} ms`);
    load.lighten();
    load.use(await cluster.add());
    await cluster.balanced();
  }
  await checkAll(t, cluster, fixture);
  const { p99, max } = worst(all);
  t.comment(`${all.length} threads of dead nodes: writes succeed again, p99 ${p99} ms, max ${max} ms`);
});
