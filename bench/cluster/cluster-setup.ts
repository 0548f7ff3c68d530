/** Three nodes, a durable PostgreSQL and a nats-server for a benchmark of faults, and senders that remember what was acknowledged. */
import { TestCluster } from '../../test/cluster/support/cluster.ts';
import { Load, type LoadOptions } from '../../test/cluster/support/load.ts';
import { Recovery } from '../../test/cluster/support/recovery.ts';
import { Client, Line } from '../../test/node/client.ts';
import { signUp, type Tenant } from '../../test/node/tenant.ts';
import type { NodeProcess } from '../../test/support/node-process.ts';
import { Endings } from '../support/endings.ts';
import { createVerdict } from '../support/verdict.ts';
import { count, fixed, quantile } from '../support/table.ts';

export class ClusterSetup {
  readonly cluster: TestCluster;
  readonly tenant: Tenant;
  readonly #endings: Endings;
  readonly #loads: Load[] = [];

  private constructor(endings: Endings, cluster: TestCluster, tenant: Tenant) {
    this.#endings = endings;
    this.cluster = cluster;
    this.tenant = tenant;
  }

  /** Gives the cluster to the benchmark and ends it with it. */
  static async with(perform: (setup: ClusterSetup) => Promise<void>): Promise<void> {
    const endings = new Endings();
    try {
      const environment = { LOG_LEVEL: 'info' };
      const cluster = await TestCluster.start(endings, { durable: true, environment });
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

  #createClient(): Client {
    return new Client(new Line(this.victim(0).url, this.#endings), this.tenant.key.bearer);
  }
}

/** The part of the values that lies below. */
export const ms = (values: readonly number[], part: number): string =>
  `${fixed(quantile(values, part), 0)} ms`;
