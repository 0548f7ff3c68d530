/** Three nodes, a durable PostgreSQL and a nats-server for a benchmark of faults, and senders that remember what was acknowledged. */
import { TestCluster } from '../../test/cluster/support/cluster.ts';
import { Load, type LoadOptions } from '../../test/cluster/support/load.ts';
import { Recovery } from '../../test/cluster/support/recovery.ts';
import { Client, Line } from '../../test/node/client.ts';
import { inspectThreads } from '../../test/node/history.ts';
import { signUp, type Tenant } from '../../test/node/tenant.ts';
import type { NodeProcess } from '../../test/support/node-process.ts';
import type { BenchDatabase } from '../support/bench-database.ts';
import type { Endings } from '../support/endings.ts';
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

  static async start({ endings }: BenchDatabase): Promise<ClusterSetup> {
    const environment = { LOG_LEVEL: 'info' };
    const cluster = await TestCluster.start(endings, { durable: true, environment });
    const [first] = cluster.running;
    if (first === undefined) throw new Error('the cluster has no nodes');
    return new ClusterSetup(endings, cluster, await signUp(new Line(first.url, endings)));
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

/**
 * Counts the faults in acknowledged messages and threads, by the checkers of the cluster's tests. Reads every thread of the project. Stop the loads before.
 * `doubled` counts also what is stored although no answer acknowledged it, `outOfOrder` also gaps in the numbers of a thread.
 */
export async function createVerdict(key: Client, projectId: string, loads: readonly Load[]) {
  const messages = loads.flatMap(load => load.messages);
  const threads = loads.flatMap(load => load.threads);
  const {
    threads: found,
    messages: history,
    gaps,
  } = await inspectThreads({ key, projectId }, { messages, threads });
  const lost = [...history.lost, ...found.missing];
  const doubled = [...history.doubled, ...history.invented, ...found.unexpected];
  const outOfOrder = [...history.disordered, ...gaps];
  return {
    acknowledged: messages.length + threads.length,
    lost: lost.length,
    doubled: doubled.length + found.doubled,
    outOfOrder: outOfOrder.length,
    faults: [...lost, ...doubled, ...outOfOrder].slice(0, 5),
  };
}
