/** Three nodes, a durable PostgreSQL and a nats-server for a benchmark of faults, and senders that remember what was acknowledged. */
import { TestCluster, type TestClusterOptions } from '../../test/cluster/support/cluster.ts';
import { Load, type LoadOptions } from '../../test/cluster/support/load.ts';
import { Recovery } from '../../test/cluster/support/recovery.ts';
import { Client, Line } from '../../test/node/client.ts';
import { newStitch, signUp, type Tenant } from '../../test/node/tenant.ts';
import { Webhooks } from '../../test/node/webhooks.ts';
import type { NodeProcess } from '../../test/support/node-process.ts';
import { Endings } from '../support/endings.ts';
import {
  createDeliveryVerdict,
  createVerdict,
  type DeliveryVerdict,
  type Verdict,
} from '../support/verdict.ts';
import { count } from '../support/table.ts';

export class ClusterSetup {
  readonly cluster: TestCluster;
  readonly tenant: Tenant;
  readonly #endings: Endings;
  readonly #loads: Load[] = [];
  readonly #receivers: Webhooks[] = [];

  private constructor(endings: Endings, cluster: TestCluster, tenant: Tenant) {
    this.#endings = endings;
    this.cluster = cluster;
    this.tenant = tenant;
  }

  /** Gives the cluster to the benchmark and ends it with it. */
  static async with<T>(
    perform: (setup: ClusterSetup) => Promise<T>,
    options: TestClusterOptions = {},
  ): Promise<T> {
    const endings = new Endings();
    try {
      const environment = { LOG_LEVEL: 'info' };
      const cluster = await TestCluster.start(endings, { durable: true, environment, ...options });
      const [first] = cluster.running;
      if (first === undefined) throw new Error('the cluster has no nodes');
      return await perform(new ClusterSetup(endings, cluster, await signUp(new Line(first.url, endings))));
    } finally {
      await endings.end();
    }
  }

  /** Senders that write to all nodes that run, until they are stopped. */
  load(options: LoadOptions): Load {
    const load = new Load(this.#endings, this.tenant, this.cluster.running, options);
    this.#loads.push(load);
    return load;
  }

  /** A stitch that wants everything, and its receiver. Before the load. */
  async openStitch(): Promise<Webhooks> {
    const webhooks = await Webhooks.listen(this.#endings);
    webhooks.secret = (await newStitch(this.tenant, webhooks.url)).secret;
    this.#receivers.push(webhooks);
    return webhooks;
  }

  /** The node of that round: all in turn. */
  victim(round: number): NodeProcess {
    const { running } = this.cluster;
    const node = running[round % running.length];
    if (node === undefined) throw new Error('no node is left');
    return node;
  }

  /** To be called right before a fault of that node. */
  async measureRecovery(node: NodeProcess, load: Load): Promise<Recovery> {
    return new Recovery(load, await this.cluster.ownership(node));
  }

  /** What became of everything that was acknowledged. Stops the loads. */
  async verdict(): Promise<Verdict> {
    for (const load of this.#loads) await load.stop();
    return createVerdict(this.#createClient(), this.tenant.projectId, this.#loads);
  }

  /** What became of the webhooks of everything. After the other verdict. */
  deliveryVerdict(): Promise<DeliveryVerdict> {
    return createDeliveryVerdict(this.#createClient(), this.tenant.projectId, this.#receivers);
  }

  /** By way of a node that runs. */
  #createClient(): Client {
    const [node] = this.cluster.running;
    if (node === undefined) throw new Error('no node is left');
    return new Client(new Line(node.url, this.#endings), this.tenant.key.bearer);
  }
}

/** The rows of a verdict: figure, value, target. */
export function toRows({ acknowledged, lost, doubled, outOfOrder, faults }: Verdict): string[][] {
  for (const fault of faults) console.log(`  ${fault}`);
  return [
    ['acknowledged', count(acknowledged), ''],
    ['of these lost, doubled, out of order', `${lost}, ${doubled}, ${outOfOrder}`, '0, 0, 0'],
  ];
}

/** The rows of a verdict on webhooks. */
export function toDeliveryRows(verdict: DeliveryVerdict): string[][] {
  const { due, lost, wrong, doubled, outOfOrder, repeated, refused, faults } = verdict;
  for (const fault of faults) console.log(`  ${fault}`);
  return [
    ['webhooks due', count(due), ''],
    [
      'of these lost, with other content, under two ids, out of order',
      `${lost}, ${wrong}, ${doubled}, ${outOfOrder}`,
      '0, 0, 0, 0',
    ],
    ['events refused; sent again under the same id', `${count(refused)}; ${count(repeated)}`, ''],
  ];
}

/** The part of the values that lies below, by nearest rank. NaN when there are none. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? Number.NaN;
}
