/** What a node tells of itself, to itself and to the others. */
import type { StitchLag } from '../../actors/stitch/index.ts';
import {
  maxSystemItems,
  type SystemActor,
  type SystemNodeReport,
  type SystemRefusals,
  type SystemShard,
} from '../../protocol/resources/index.ts';
import type { ClusterStatus } from '../../runtime/cluster/index.ts';
import type { BusyActor } from '../../runtime/node/index.ts';
import type { NodeGauges } from '../../runtime/observability/index.ts';
import type { Health } from '../monitoring/index.ts';
import { type Buckets, type CountName, type FigureHistory, findQuantile } from './figures.ts';

/**
 * Another number for another shape. A node takes a report of its own number alone, and shows the node as one that it does not know: two
 * releases work side by side whatever either of them reports.
 */
export const reportFormat = 1;

/** Less than the others wait for a report (reports.ts): a database that is slow makes no node silent. */
const checksMs = 500;

export interface NodeReport {
  readonly format: typeof reportFormat;
  readonly nodeId: string;
  readonly node: SystemNodeReport;
  readonly increases: Readonly<Record<CountName, number>>;
  /** What held during the whole of the last minute; of the last half minute for shards. */
  readonly held: {
    readonly eventLoopP99Seconds: number;
    readonly waiting: number;
    readonly vacantShards: number;
  };
  readonly webhookDelayMs: Buckets;
  readonly refusals: readonly SystemRefusals[];
  readonly oldestDeliverySeconds: number | null;
  readonly tokenExpirySeconds: number | null;
  /** Null on all nodes but the one that measures it. Undefined: a node of an earlier release. */
  readonly oldestSnapshotSeconds?: number | null;
  readonly stitches: readonly StitchLag[];
  readonly actors: readonly Omit<SystemActor, 'nodeId'>[];
  readonly moving: readonly Omit<SystemShard, 'nodeId'>[];
  /** Members that died, hang or are cut off, as this node has seen it. Undefined: its release does not tell. */
  readonly lost?: readonly string[];
}

export interface ReporterOptions {
  readonly nodeId: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly figures: Pick<FigureHistory, 'read'>;
  readonly health: Pick<Health, 'describe'>;
  readonly node: { readonly stats: NodeGauges; listBusiest(limit: number): readonly BusyActor[] };
  readonly stitches: { listFurthestBehind(limit: number): readonly StitchLag[] };
  readonly describeCluster: () => ClusterStatus | undefined;
}

export function createReporter(options: ReporterOptions): () => Promise<NodeReport> {
  const { nodeId, startedAt, figures, health, node, stitches, describeCluster } = options;
  return async () => {
    const [read, { status, checks }] = await Promise.all([figures.read(), health.describe(checksMs)]);
    const { increases, increasedBuckets } = read;
    const gauges = node.stats;
    const cluster = describeCluster();
    // One look at the actors for both.
    const actors = node.listBusiest(maxSystemItems);
    return {
      format: reportFormat,
      nodeId,
      node: {
        status,
        failedChecks: Object.keys(checks).filter(name => checks[name] === 'failed'),
        startedAt: new Date(startedAt).toISOString(),
        leasedMs: cluster?.leasedMs ?? null,
        memoryBytes: process.memoryUsage.rss(),
        eventLoopP99Seconds: read.eventLoopP99Seconds,
        clockAheadSeconds: read.clockAheadSeconds,
        shards: gauges.shards,
        actors: gauges.activations,
        commands: gauges.admitted,
        deepestMailbox: actors[0]?.commands ?? 0,
        tasksRunning: gauges.tasksRunning,
        tasksWaiting: gauges.tasksWaiting,
        remindersInFlight: gauges.reminders,
        asksOutgoing: gauges.outgoing,
        commits: increases.commits,
        commitP99Ms: findQuantile(0.99, increasedBuckets.commitMs),
        commitsRefused: increases.commitsRefused,
        overloaded: increases.overloaded,
        deadLetters: increases.deadLetters,
        defects: increases.defects,
        pools: [...read.pools],
      },
      increases,
      held: {
        eventLoopP99Seconds: read.heldEventLoopP99Seconds,
        waiting: read.heldWaiting,
        vacantShards: read.heldVacantShards,
      },
      webhookDelayMs: increasedBuckets.webhookDelayMs,
      refusals: read.refusals,
      oldestDeliverySeconds: read.oldestDeliverySeconds,
      tokenExpirySeconds: read.tokenExpirySeconds,
      oldestSnapshotSeconds: read.oldestSnapshotSeconds,
      stitches: stitches.listFurthestBehind(maxSystemItems),
      actors: actors.map(({ kind, id, commands, committingMs }) => ({
        kind,
        actorId: id,
        commands,
        committingMs,
      })),
      moving: cluster === undefined ? [] : listMoving(cluster),
      lost: cluster?.lost ?? [],
    };
  };
}

/** Shards that this node does something with, or that nobody has. */
function listMoving({ shards }: ClusterStatus): NodeReport['moving'] {
  const moving: Omit<SystemShard, 'nodeId'>[] = [];
  for (const { shard, state, owner, desired } of shards) {
    if (state === 'held' || state === 'foreign') continue;
    moving.push({ shard, state, ownerNodeId: owner, desiredNodeId: desired });
    if (moving.length === maxSystemItems) break;
  }
  return moving;
}
