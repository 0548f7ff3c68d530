/** The service as a whole, put together from what its nodes say and what its database and its register know. */
import {
  maxSystemItems,
  type System,
  type SystemActor,
  type SystemMove,
  type SystemNode,
  type SystemRefusals,
  type SystemShard,
  type SystemStitch,
} from '../../protocol/resources/index.ts';
import type { ClusterStatus, ShardStatus } from '../../runtime/cluster/index.ts';
import type { Clock } from '../../runtime/time/index.ts';
import type { Queries } from '../../storage/database/index.ts';
import { findStitchPlaces, readDatabaseState, readGivenUp } from '../../storage/system/index.ts';
import { findFaults } from './faults.ts';
import type { NodeReport } from './node-report.ts';
import type { Reports } from './reports.ts';

/** Shards that have changed their owner within this time are shown. */
const movesMs = 15 * 60_000;
/** Milliseconds for which an answer is given to whoever asks next. */
const keptMs = 1_000;

export interface SystemOptions {
  readonly nodeId: string;
  readonly release: string;
  readonly shards: number;
  readonly db: Queries;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly reports: Pick<Reports, 'ask'>;
  /** Undefined: this node is no part of a cluster. */
  readonly describeCluster: () => ClusterStatus | undefined;
  /** Undefined likewise. */
  readonly isConnected: () => boolean | undefined;
}

export class SystemReader {
  readonly #options: SystemOptions;
  #reading: Promise<System> | undefined;
  /** The last answer, and until when it is given. Monotonic. */
  #kept: { readonly system: System; readonly until: number } | undefined;

  constructor(options: SystemOptions) {
    this.#options = options;
  }

  /** Whoever asks meanwhile, or within a second, gets the same answer: many who look cost the nodes and the database no more than one. */
  async read(): Promise<System> {
    const { clock } = this.#options;
    if (this.#kept !== undefined && clock.monotonic() < this.#kept.until) return this.#kept.system;
    const system = await (this.#reading ??= this.#read().finally(() => (this.#reading = undefined)));
    this.#kept = { system, until: clock.monotonic() + keptMs };
    return system;
  }

  async #read(): Promise<System> {
    const { nodeId, db, clock, reports: all, describeCluster, isConnected } = this.#options;
    const cluster = describeCluster();
    const members = cluster?.nodes ?? [];
    const others = new Set(members.map(({ id }) => id).filter(id => id !== nodeId));
    const [reports, deadLetters, database] = await Promise.all([
      all.ask(others),
      readGivenUp(db, maxSystemItems),
      readDatabaseState(db),
    ]);
    const now = clock.now();
    const oldest = reports.flatMap(({ oldestDeliverySeconds }) => oldestDeliverySeconds ?? []);
    return {
      at: new Date(now).toISOString(),
      nodeId,
      faults: findFaults({
        reports,
        silent: this.#findSilent(cluster, reports),
        deadLetters: deadLetters.count,
      }),
      nodes: this.#describeNodes(cluster, reports),
      shards: this.#describeShards(cluster, reports, now),
      stitches: await this.#findStitches(reports),
      oldestDeliverySeconds: oldest.length === 0 ? null : Math.max(...oldest),
      actors: findBusiest(reports),
      commitRefusals: addRefusals(reports),
      deadLetters: {
        ...deadLetters,
        newest: deadLetters.newest.map(each => ({ ...each, createdAt: each.createdAt.toISOString() })),
      },
      database,
      nats: cluster === undefined ? null : { connected: isConnected() === true },
    };
  }

  /**
   * Members that do not answer, and those that were members until they died. Nodes of another release may not know the question, and a node
   * that is cut off hears nobody.
   */
  #findSilent(cluster: ClusterStatus | undefined, reports: readonly NodeReport[]): string[] {
    const { nodeId, release, isConnected } = this.#options;
    if (cluster === undefined || isConnected() !== true) return [];
    const heard = new Set(reports.map(report => report.nodeId));
    const silent = cluster.nodes.filter(node => node.release === release && !heard.has(node.id));
    const members = new Set(cluster.nodes.map(({ id }) => id));
    const lost = reports.flatMap(report => report.lost ?? []).filter(id => !members.has(id));
    return [...new Set([...silent.map(({ id }) => id), ...lost])].filter(id => id !== nodeId);
  }

  #describeNodes(cluster: ClusterStatus | undefined, reports: readonly NodeReport[]): SystemNode[] {
    const { nodeId, release } = this.#options;
    const byId = new Map(reports.map(report => [report.nodeId, report.node]));
    const members = (cluster?.nodes ?? []).map(
      ({ id, state, release: of, since, lastSeenMs }): SystemNode => ({
        nodeId: id,
        state,
        release: of,
        joinedAt: new Date(since).toISOString(),
        lastSeenMs: Math.max(0, lastSeenMs),
        report: byId.get(id) ?? null,
      }),
    );
    if (members.some(member => member.nodeId === nodeId)) return members;
    // It is alone, or no member at the moment.
    const state = cluster === undefined ? 'standalone' : 'joining';
    const own: SystemNode = {
      nodeId,
      state,
      release,
      joinedAt: null,
      lastSeenMs: null,
      report: byId.get(nodeId) ?? null,
    };
    return [own, ...members];
  }

  #describeShards(
    cluster: ClusterStatus | undefined,
    reports: readonly NodeReport[],
    now: number,
  ): System['shards'] {
    const all = cluster?.shards ?? [];
    return {
      count: this.#options.shards,
      vacant: all.filter(({ state }) => state === 'vacant').length,
      moving: findMoving(reports),
      moves: groupMoves(all, now),
    };
  }

  async #findStitches(reports: readonly NodeReport[]): Promise<SystemStitch[]> {
    // A stitch that has moved is known to two nodes: the one that is further behind looked at it earlier.
    const lags = new Map<string, number>();
    for (const { stitchId, lagEvents } of reports.flatMap(({ stitches }) => stitches)) {
      lags.set(stitchId, Math.min(lagEvents, lags.get(stitchId) ?? Infinity));
    }
    const furthest = [...lags].sort(([, a], [, b]) => b - a).slice(0, maxSystemItems);
    const places = await findStitchPlaces(
      this.#options.db,
      furthest.map(([stitchId]) => stitchId),
    );
    const byId = new Map(places.map(place => [place.stitchId, place]));
    return furthest.flatMap(([stitchId, lagEvents]) => {
      const place = byId.get(stitchId);
      return place === undefined ? [] : [{ ...place, lagEvents }];
    });
  }
}

function findBusiest(reports: readonly NodeReport[]): SystemActor[] {
  return reports
    .flatMap(({ nodeId, actors }) => actors.map(actor => ({ ...actor, nodeId })))
    .sort((a, b) => b.commands - a.commands)
    .slice(0, maxSystemItems);
}

/** A vacant shard is so for every node: it is shown once. */
function findMoving(reports: readonly NodeReport[]): SystemShard[] {
  const found = new Map<string, SystemShard>();
  for (const { nodeId, moving } of reports) {
    for (const shard of moving) {
      const key = shard.state === 'vacant' ? `vacant ${shard.shard}` : `${nodeId} ${shard.shard}`;
      if (!found.has(key)) found.set(key, { ...shard, nodeId });
    }
  }
  return [...found.values()].sort((a, b) => a.shard - b.shard).slice(0, maxSystemItems);
}

/** Newest first: the shards that went one way for one reason are one move. */
export function groupMoves(shards: readonly ShardStatus[], now: number): SystemMove[] {
  const moves = new Map<string, { move: Omit<SystemMove, 'at'>; at: number }>();
  for (const { owner, cause, from, since } of shards) {
    if (owner === null || since === null || since < now - movesMs) continue;
    if (cause !== 'takeover' && cause !== 'handover') continue;
    const key = `${cause} ${from} ${owner}`;
    const known = moves.get(key);
    if (known === undefined) {
      moves.set(key, { move: { cause, fromNodeId: from, toNodeId: owner, shards: 1 }, at: since });
    } else {
      known.move.shards++;
      known.at = Math.max(known.at, since);
    }
  }
  return [...moves.values()]
    .sort((a, b) => b.at - a.at)
    .slice(0, maxSystemItems)
    .map(({ move, at }) => ({ ...move, at: new Date(at).toISOString() }));
}

function addRefusals(reports: readonly NodeReport[]): SystemRefusals[] {
  const byReason = new Map<string, SystemRefusals>();
  for (const { reason, recent, total } of reports.flatMap(({ refusals }) => refusals)) {
    const known = byReason.get(reason);
    if (known === undefined) byReason.set(reason, { reason, recent, total });
    else Object.assign(known, { recent: known.recent + recent, total: known.total + total });
  }
  return [...byReason.values()].sort((a, b) => b.recent - a.recent || b.total - a.total);
}
