/** One status of the cluster, as lines for a terminal: a cell for each shard in its owner's colour, and what the traffic does. */
import type { ClusterStatus } from '../../../runtime/cluster/status.ts';
import type { Traffic } from './traffic.ts';

export interface View {
  readonly elapsedMs: number;
  /** As one living node sees it. */
  readonly status: ClusterStatus;
  readonly traffic: Traffic;
  /** Requests per second at each tenth of a second until now. */
  readonly past: readonly number[];
  /** By shard: when its owner changed last, in milliseconds of `elapsedMs`. */
  readonly movedAt: ReadonlyMap<number, number>;
  /** In the order of their colours: those that live and those that do not. */
  readonly nodes: readonly NodeView[];
}

export interface NodeView {
  readonly id: string;
  /** In a word or two: serving, killed, draining. */
  readonly activity: string;
}

const columns = 32;
const colours = [36, 33, 35, 32, 34, 31];
const bars = ' ▁▂▃▄▅▆▇█';
const graphWidth = 64;
/** For so long a cell shows that it has moved. */
const movedMs = 600;

const paint = (code: number, text: string): string => `\x1b[${code}m${text}\x1b[0m`;

/** How many shards of the status the node owns; null: nobody. */
export function ownedBy({ shards }: ClusterStatus, id: string | null): number {
  return shards.reduce((count, { owner }) => (owner === id ? count + 1 : count), 0);
}

export function formatFrame(view: View): string[] {
  const { traffic } = view;
  const failed = paint(traffic.failed > 0 ? 33 : 32, `${traffic.failed} failed`);
  return [
    `  ${paint(1, 'shards, each in the colour of its owner')}   ${(view.elapsedMs / 1_000).toFixed(1)} s`,
    '',
    ...cells(view),
    '',
    ...legend(view),
    '',
    `  ${paint(90, graph(view.past))}`,
    `  ${paint(1, String(traffic.perSecond).padStart(5))} requests/s   ${failed}   ` +
      `slowest ${traffic.slowestMs.toFixed(0)} ms (${traffic.slowestEverMs.toFixed(0)} ms ever)   ` +
      `${traffic.acknowledged} acknowledged`,
  ];
}

function cells({ status, nodes, movedAt, elapsedMs }: View): string[] {
  const colourOf = new Map(nodes.map(({ id }, i) => [id, colours[i % colours.length] ?? 37]));
  const rows: string[] = [];
  for (let from = 0; from < status.shards.length; from += columns) {
    const row = status.shards.slice(from, from + columns).map(({ shard, owner }) => {
      if (owner === null) return paint(90, '· ');
      const isNew = elapsedMs - (movedAt.get(shard) ?? -Infinity) < movedMs;
      return paint(colourOf.get(owner) ?? 37, isNew ? '□ ' : '■ ');
    });
    rows.push(`  ${row.join('')}`);
  }
  return rows;
}

function legend({ status, nodes }: View): string[] {
  const lines = nodes.map(({ id, activity }, i) => {
    const owned = String(ownedBy(status, id)).padStart(4);
    return `  ${paint(colours[i % colours.length] ?? 37, '■')} ${id.padEnd(10)}${owned} shards   ${activity}`;
  });
  const vacant = String(ownedBy(status, null)).padStart(4);
  return [...lines, `  ${paint(90, '·')} ${'nobody'.padEnd(10)}${vacant} shards   □ has just moved`];
}

function graph(past: readonly number[]): string {
  const shown = past.slice(-graphWidth);
  const top = Math.max(1, ...shown);
  return shown.map(value => bars[Math.round((value / top) * (bars.length - 1))]).join('');
}
