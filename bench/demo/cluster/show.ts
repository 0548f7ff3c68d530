/**
 * Shows the cluster ten times a second, as one living node sees it: on a terminal a picture that redraws itself, with a cell for each shard in the
 * colour of its owner; elsewhere a line each second.
 */
import type { ClusterStatus } from '../../../runtime/cluster/status.ts';
import type { Load } from '../../../test/cluster/support/load.ts';
import type { TestCluster } from '../../../test/cluster/support/cluster.ts';
import type { NodeProcess } from '../../../test/support/node-process.ts';

const everyMs = 100;
const lineEveryMs = 1_000;
const trafficMs = 1_000;
const columns = 32;
const colours = [36, 33, 35, 32, 34, 31];
/** A cell shows for so long that it has moved. */
const movedMs = 600;
const isTerminal = process.stdout.isTTY === true;

const paint = (code: number, text: string): string => `\x1b[${code}m${text}\x1b[0m`;

/** The number of shards that the node owns; null: shards without an owner. */
const countOwned = ({ shards }: ClusterStatus, id: string | null): number =>
  shards.filter(({ owner }) => owner === id).length;

export class Show {
  readonly #cluster: TestCluster;
  readonly #load: Load;
  readonly #from = performance.now();
  readonly #activities = new Map<NodeProcess, string>();
  /** By shard: when its owner changed last, in milliseconds since the start. */
  readonly #movedAt = new Map<number, number>();
  readonly #notes: string[] = [];
  readonly #timer: NodeJS.Timeout;
  #status: ClusterStatus;
  #isLooking = false;
  #hasEnded = false;
  /** The first answer of the last second. */
  #first = 0;
  #slowestEverMs = 0;
  #frame: readonly string[] = [];
  #height = 0;
  #nextLineAt = 0;

  private constructor(cluster: TestCluster, load: Load, status: ClusterStatus) {
    this.#cluster = cluster;
    this.#load = load;
    this.#status = status;
    for (const node of cluster.nodes) this.#activities.set(node, 'serving');
    // No cursor. Long lines are cut, because a redraw needs the height of the picture.
    if (isTerminal) process.stdout.write('\x1b[?25l\x1b[?7l\n');
    this.#timer = setInterval(() => void this.#look(), everyMs);
  }

  static async open(cluster: TestCluster, load: Load): Promise<Show> {
    const [node] = cluster.running;
    if (node === undefined) throw new Error('the cluster has no nodes');
    return new Show(cluster, load, await cluster.getStatus(node));
  }

  get elapsedMs(): number {
    return performance.now() - this.#from;
  }

  /** Sets the activity of a node. Only nodes that serve are asked for statuses. */
  is(node: NodeProcess, activity: string): void {
    this.#activities.set(node, activity);
  }

  say(text: string): void {
    const note = `  ${`${(this.elapsedMs / 1_000).toFixed(1)} s`.padStart(7)}  ${text}`;
    if (isTerminal) this.#notes.push(note);
    else console.log(note);
  }

  /** Leaves the last picture on the screen. Idempotent. */
  end(): void {
    clearInterval(this.#timer);
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    if (!isTerminal) return;
    this.#write(this.#notes);
    process.stdout.write('\x1b[?25h\x1b[?7h\n');
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      const node = this.#cluster.running.find(each => this.#activities.get(each) === 'serving');
      if (node !== undefined) this.#take(await this.#cluster.getStatus(node));
    } catch {
      // The node is about to end. The next look asks another one.
    } finally {
      this.#isLooking = false;
    }
    if (!this.#hasEnded) this.#draw();
  }

  #take(status: ClusterStatus): void {
    status.shards.forEach(({ shard, owner }, at) => {
      if (owner !== this.#status.shards[at]?.owner) this.#movedAt.set(shard, this.elapsedMs);
    });
    this.#status = status;
  }

  #draw(): void {
    const { answers, failed } = this.#load;
    const since = performance.now() - trafficMs;
    while (this.#first < answers.length && (answers[this.#first]?.answeredAt ?? 0) < since) this.#first++;
    const slowestMs = answers
      .slice(this.#first)
      .reduce((most, { sentAt, answeredAt }) => Math.max(most, answeredAt - sentAt), 0);
    this.#slowestEverMs = Math.max(this.#slowestEverMs, slowestMs);
    const perSecond = answers.length - this.#first;
    const slowest = `slowest ${slowestMs.toFixed(0)} ms`;
    if (isTerminal) {
      const traffic =
        `  ${paint(1, String(perSecond).padStart(5))} requests/s   ` +
        `${paint(failed > 0 ? 33 : 32, `${failed} failed`)}   ` +
        `${slowest} (${this.#slowestEverMs.toFixed(0)} ms ever)   ${answers.length} acknowledged`;
      this.#frame = [...this.#formatCells(), '', ...this.#formatLegend(), '', traffic];
      const room = Math.max(1, process.stdout.rows - this.#frame.length - 2);
      this.#write(this.#notes.slice(-room));
    } else if (this.elapsedMs >= this.#nextLineAt) {
      this.#nextLineAt = this.elapsedMs + lineEveryMs;
      const nodes = [...this.#activities.keys()];
      const owned = nodes.map(({ id }) => `${id} ${countOwned(this.#status, id)}`).join(', ');
      const vacant = countOwned(this.#status, null);
      this.say(`shards: ${owned}, no owner ${vacant}; ${perSecond} requests/s, ${failed} failed, ${slowest}`);
    }
  }

  #formatCells(): string[] {
    const { shards } = this.#status;
    const ids = [...this.#activities.keys()].map(({ id }) => id);
    const rows = [`  ${paint(1, 'shards, each in the colour of its owner')}`, ''];
    for (let from = 0; from < shards.length; from += columns) {
      const row = shards.slice(from, from + columns).map(({ shard, owner }) => {
        if (owner === null) return paint(90, '· ');
        const isNew = this.elapsedMs - (this.#movedAt.get(shard) ?? -Infinity) < movedMs;
        return paint(colours[ids.indexOf(owner) % colours.length] ?? 37, isNew ? '□ ' : '■ ');
      });
      rows.push(`  ${row.join('')}`);
    }
    return rows;
  }

  #formatLegend(): string[] {
    const lines = [...this.#activities].map(([{ id }, activity], i) => {
      const owned = String(countOwned(this.#status, id)).padStart(4);
      return `  ${paint(colours[i % colours.length] ?? 37, '■')} ${id.padEnd(10)}${owned} shards   ${activity}`;
    });
    const vacant = String(countOwned(this.#status, null)).padStart(4);
    return [...lines, `  ${paint(90, '·')} ${'no owner'.padEnd(10)}${vacant} shards   □ has just moved`];
  }

  #write(notes: readonly string[]): void {
    const lines = [...this.#frame, '', ...notes];
    const up = this.#height > 0 ? `\x1b[${this.#height}A` : '';
    process.stdout.write(`${up}${lines.map(line => `\r${line}\x1b[K\n`).join('')}`);
    this.#height = lines.length;
  }
}
