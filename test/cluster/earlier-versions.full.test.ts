/**
 * Upgrades as operators do them, from the code of earlier versions to this one, under load, with the migrations of between. Each
 * acknowledged message and each webhook is held against what the cluster shows in the end.
 */
import t from 'tap';
import type { NodeProcess } from '../support/node-process.ts';
import { checkAll, startClusterFixture, type ClusterFixture } from './support/cluster-fixture.ts';
import { TestCluster } from './support/cluster.ts';
import {
  fittingVersion,
  lastRelease,
  listChangedPackages,
  unpackVersion,
} from './support/earlier-version.ts';

/** Requests are not logged: there are some thousand, and nobody looks at them here. */
const environment = { LOG_LEVEL: 'info' };

/** What the nodes that run say that they are. */
async function listReleases(cluster: TestCluster): Promise<readonly string[]> {
  const [node] = cluster.running;
  if (node === undefined) throw new Error('no node is left');
  const { nodes } = await cluster.getStatus(node);
  return nodes.map(({ release }) => release).sort();
}

/** Stops the node and starts it in another version, beside the others. `program`: default this version. */
async function replace(
  cluster: TestCluster,
  { load }: ClusterFixture,
  node: NodeProcess,
  program?: string,
): Promise<void> {
  await load.more(25);
  t.same(await node.stop(), { code: 0, signal: null });
  load.spare(node);
  load.lighten();
  await node.start(program);
  load.use(node);
  await cluster.balanced();
  await load.more(25);
}

async function countMigrations(cluster: TestCluster): Promise<number> {
  const [row] = await cluster.query<{ count: number }>('select count(*)::int as count from migrations');
  return row?.count ?? 0;
}

t.test('they run on the packages that they had', async t => {
  for (const version of [lastRelease, fittingVersion])
    t.same(await listChangedPackages(version), [], version.release);
});

t.test('node by node from a version that fits to this one, and back', async t => {
  const program = await unpackVersion(t, fittingVersion);
  const cluster = await TestCluster.start(t, { program, environment });
  const all = Array(3).fill(fittingVersion.release);
  t.same(await listReleases(cluster), all);
  const before = await countMigrations(cluster);
  const fixture = await startClusterFixture(t, cluster, { senders: 8 });
  const nodes = cluster.running;

  for (const node of nodes) await replace(cluster, fixture, node);
  t.notOk((await listReleases(cluster)).includes(fittingVersion.release), 'all are of this version');
  t.ok((await countMigrations(cluster)) > before, 'the database was migrated meanwhile');
  t.equal(fixture.load.failed, 0, 'no request failed');

  for (const node of nodes) await replace(cluster, fixture, node, program);
  t.same(await listReleases(cluster), all, 'all are back, on the schema of this version');
  t.equal(await cluster.total('skein_takeovers_total'), 0, 'every shard was handed over');

  // What the earlier version has written on the new schema is read by this one.
  for (const node of nodes.slice(0, 1)) await replace(cluster, fixture, node);
  await checkAll(t, cluster, fixture);
});

t.test('from the last release, all nodes at once', async t => {
  const program = await unpackVersion(t, lastRelease);
  const cluster = await TestCluster.start(t, { program, nodes: 2, environment });
  const before = await countMigrations(cluster);
  const fixture = await startClusterFixture(t, cluster, { senders: 8 });
  const { load } = fixture;
  const nodes = cluster.running;
  await load.more(40);

  const refused = await cluster.make();
  refused.spawn();
  t.same((await refused.exited()).code, 1, 'none of this version starts beside them');
  t.match(refused.output, nodes[0]?.id ?? '', 'and it says which still run');
  t.equal(await countMigrations(cluster), before, 'nor has it migrated their database');
  await load.more(20);

  load.lighten();
  for (const node of nodes) t.same(await node.stop(), { code: 0, signal: null });
  await Promise.all(nodes.map(node => node.start()));
  await cluster.balanced(nodes);
  t.ok((await countMigrations(cluster)) > before, 'the database was migrated');
  await load.more(40);
  await checkAll(t, cluster, fixture, nodes);
});
