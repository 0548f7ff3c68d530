/** Looks at the cluster ten times a second, by way of one living node, and has drawn what it sees. */
import type { ClusterStatus } from '../../../runtime/cluster/status.ts';
import type { Load } from '../../../test/cluster/support/load.ts';
import type { TestCluster } from '../../../test/cluster/support/cluster.ts';
import type { NodeProcess } from '../../../test/support/node-process.ts';
import type { Screen } from './screen.ts';
import { TrafficMeter } from './traffic.ts';

const everyMs = 100;
/** More than a terminal is wide. */
const pastKept = 200;

export class Show {
  readonly #cluster: TestCluster;
  readonly #screen: Screen;
  readonly #meter: TrafficMeter;
  readonly #from = performance.now();
  readonly #activities = new Map<NodeProcess, string>();
  readonly #movedAt = new Map<number, number>();
  readonly #past: number[] = [];
  #status: ClusterStatus;
  #isLooking = false;
  readonly #timer: NodeJS.Timeout;

  private constructor(cluster: TestCluster, load: Load, screen: Screen, status: ClusterStatus) {
    this.#cluster = cluster;
    this.#screen = screen;
    this.#meter = new TrafficMeter(load);
    this.#status = status;
    for (const node of cluster.nodes) this.#activities.set(node, 'serving');
    this.#timer = setInterval(() => void this.#look(), everyMs);
  }

  static async open(cluster: TestCluster, load: Load, screen: Screen): Promise<Show> {
    const [node] = cluster.running;
    if (node === undefined) throw new Error('the cluster has no nodes');
    return new Show(cluster, load, screen, await cluster.getStatus(node));
  }

  /** Milliseconds since the curtain rose. */
  get elapsedMs(): number {
    return performance.now() - this.#from;
  }

  /** What the status says of the node from now on; only those that serve are asked for statuses. */
  is(node: NodeProcess, activity: string): void {
    this.#activities.set(node, activity);
  }

  say(text: string): void {
    this.#screen.say(this.elapsedMs, text);
  }

  /** The last status stays. Idempotent. */
  end(): void {
    clearInterval(this.#timer);
    this.#screen.end();
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      const node = this.#cluster.running.find(each => this.#activities.get(each) === 'serving');
      if (node !== undefined) this.#take(await this.#cluster.getStatus(node));
    } catch {
      // It is on its way out: the next look is at another one, and until then the last status stands.
    } finally {
      this.#isLooking = false;
    }
    this.#draw();
  }

  #take(status: ClusterStatus): void {
    status.shards.forEach(({ shard, owner }, at) => {
      if (owner !== this.#status.shards[at]?.owner) this.#movedAt.set(shard, this.elapsedMs);
    });
    this.#status = status;
  }

  #draw(): void {
    const traffic = this.#meter.read();
    this.#past.push(traffic.perSecond);
    if (this.#past.length > pastKept) this.#past.shift();
    const nodes = [...this.#activities].map(([{ id }, activity]) => ({ id, activity }));
    const { elapsedMs } = this;
    this.#screen.draw({
      elapsedMs,
      traffic,
      nodes,
      status: this.#status,
      past: this.#past,
      movedAt: this.#movedAt,
    });
  }
}
