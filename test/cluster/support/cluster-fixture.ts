/** What has to be so after any fault: the recorded history, held against what the cluster shows. */
import type { Test } from 'tap';
import { Client, Line } from '../../node/client.ts';
import { checkEvents, checkThreads } from '../../node/history.ts';
import { newStitch, signUp, type Tenant } from '../../node/tenant.ts';
import { Webhooks } from '../../node/webhooks.ts';
import type { Ending, NodeProcess } from '../../support/node-process.ts';
import type { TestCluster } from './cluster.ts';
import { Load, type LoadOptions } from './load.ts';
import { Watcher } from './watcher.ts';

export interface ClusterFixture {
  readonly tenant: Tenant;
  readonly load: Load;
  readonly webhooks: Webhooks;
  /** One for each node that there was at the beginning. */
  readonly watchers: readonly Watcher[];
}

/** A tenant with a stitch that takes everything, a Console on each node, and load on all of them. */
export async function startClusterFixture(
  t: Test,
  cluster: TestCluster,
  options: LoadOptions = {},
): Promise<ClusterFixture> {
  const nodes = cluster.running;
  const [first] = nodes;
  if (first === undefined) throw new Error('the cluster has no nodes');
  const tenant = await signUp(new Line(first.url, t));
  const webhooks = await Webhooks.listen(t);
  webhooks.secret = (await newStitch(tenant, webhooks.url)).secret;
  const watchers = await Promise.all(
    nodes.map((_, at) => Watcher.open(t, tenant, () => cluster.running, at)),
  );
  return { tenant, webhooks, watchers, load: new Load(t, tenant, nodes, options) };
}

/** The same tenant by way of another node. */
export function through(t: Ending, tenant: Tenant, node: NodeProcess): Tenant {
  const line = new Line(node.url, t);
  const { key, person } = tenant;
  return { ...tenant, key: new Client(line, key.bearer), person: new Client(line, person.bearer) };
}

/**
 * Stops the load. Nothing acknowledged is lost, doubled or out of order, numbers are dense, and everybody was told everything.
 *
 * @param nodes those whose logs have no errors; default: all that there ever were
 */
export async function checkAll(
  t: Test,
  cluster: TestCluster,
  fixture: ClusterFixture,
  nodes: readonly NodeProcess[] = cluster.nodes,
): Promise<void> {
  const { load, watchers, webhooks } = fixture;
  await load.stop();
  const [node] = cluster.running;
  if (node === undefined) throw new Error('no node is left');
  const tenant = through(t, fixture.tenant, node);
  await checkThreads(t, tenant, load);
  const last = await checkEvents(t, tenant, webhooks);
  await Promise.all(watchers.map(watcher => watcher.seen(last)));
  t.same(
    watchers.flatMap(({ faults }) => faults),
    [],
    'every Console saw every event once, in order',
  );
  const fenced = await cluster.total('skein_commits_fenced_total');
  t.comment(
    `${load.answers.length} answers; ${load.unanswered} unanswered, ${load.unavailable} times 503, ` +
      `${load.replayed} replayed; ${fenced} commits fenced; ${webhooks.repeats} webhooks repeated`,
  );
  for (const each of nodes) {
    t.same(
      each.lines
        .filter(({ level }) => level >= 50)
        .map(({ time: _, pid: __, ...line }) => JSON.stringify(line)),
      [],
      'no errors in its log',
    );
  }
}
