/** Three nodes, a durable PostgreSQL and a nats-server for a benchmark of faults, and senders that remember what was acknowledged. */
import { TestCluster, type TestClusterOptions } from '../../test/cluster/support/cluster.ts';
import { Load, type LoadOptions } from '../../test/cluster/support/load.ts';
import { Recovery } from '../../test/cluster/support/recovery.ts';
import { Client, Line } from '../../test/node/client.ts';
import { newStitch, signUp, type Tenant } from '../../test/node/tenant.ts';
import { Webhooks } from '../../test/node/webhooks.ts';
import type { NodeProcess } from '../../test/support/node-process.ts';
import { Endings } from '../support/endings.ts';
import { createDeliveryVerdict, createVerdict } from '../support/verdict.ts';
import { count, fixed, quantile } from '../support/table.ts';

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
  static async with(
    perform: (setup: ClusterSetup) => Promise<void>,
    options: TestClusterOptions = {},
  ): Promise<void> {
    const endings = new Endings();
    try {
      const environment = { LOG_LEVEL: 'info' };
      const cluster = await TestCluster.start(endings, { durable: true, environment, ...options });
      const [first] = cluster.running;
      if (first === undefined) throw new Error('the cluster has no nodes');
      await perform(new ClusterSetup(endings, cluster, await signUp(new Line(first.url, endings))));
    } finally {
      await endings.end();
    }
  }

  /** Senders that write to all running nodes until they are stopped. */
  load(options: LoadOptions): Load {
    const load = new Load(this.#endings, this.tenant, this.cluster.running, options);
    this.#loads.push(load);
    return load;
  }

  /** Creates a stitch of all events, and its receiver. Call it before the load. */
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

  /** Call it right before a fault of that node. */
  async measureRecovery(node: NodeProcess, load: Load): Promise<Recovery> {
    return new Recovery(load, await this.cluster.ownership(node));
  }

  /** Stops the loads. Gives rows (figure, value, target): what became of everything that was acknowledged. */
  async verdict(): Promise<string[][]> {
    for (const load of this.#loads) await load.stop();
    const { acknowledged, lost, doubled, outOfOrder, faults } = await createVerdict(
      this.#createClient(),
      this.tenant.projectId,
      this.#loads,
    );
    for (const fault of faults) console.log(`  ${fault}`);
    return [
      ['acknowledged', count(acknowledged), ''],
      ['of these lost, doubled, out of order', `${lost}, ${doubled}, ${outOfOrder}`, '0, 0, 0'],
    ];
  }

  /** Rows for the webhooks of everything. Call it after the other verdict. */
  async deliveryVerdict(): Promise<string[][]> {
    const { due, lost, wrong, doubled, outOfOrder, repeated, refused, faults } = await createDeliveryVerdict(
      this.#createClient(),
      this.tenant.projectId,
      this.#receivers,
    );
    for (const fault of faults) console.log(`  ${fault}`);
    const name = 'of these lost, with other content, under two ids, out of order';
    return [
      ['webhooks due', count(due), ''],
      [name, `${lost}, ${wrong}, ${doubled}, ${outOfOrder}`, '0, 0, 0, 0'],
      ['events refused; sent again under the same id', `${count(refused)}; ${count(repeated)}`, ''],
    ];
  }

  #createClient(): Client {
    return new Client(new Line(this.victim(0).url, this.#endings), this.tenant.key.bearer);
  }
}

/** The part of the values that lies below. */
export const ms = (values: readonly number[], part: number): string =>
  `${fixed(quantile(values, part), 0)} ms`;
