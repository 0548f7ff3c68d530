/**
 * The placement of a node in a cluster: shards are owned under leases in a register that all nodes share.
 *
 *   new -> joining        `start`: watches the register, reads it, and becomes a member; waits while it cannot be reached
 *   joining -> running    it is a member and serves every shard that it should serve for now
 *   running -> joining    evicted, or stepped down (membership.ts): it drops its shards and joins again
 *   any -> draining       `drain`: hands its shards over, a few at a time
 *   draining -> closed    it serves nothing, and its entry is removed
 *
 * A shard's lease is its owner's membership. There is no coordinator: every node computes the same desired owners from the same
 * register (rendezvous.ts), takes the vacant shards that should be its own, and hands over those that should be another's
 * (lease-action.ts). Whatever a node believes, each change is a compare-and-set, so that a shard has one owner by the register; and
 * whatever the register says, the store refuses the writes of a second one (docs/decisions/0003-one-writer-by-version.md).
 */
import { Backoff, type Clock, completesWithin, pause, type Random, type Timer } from '../time/index.ts';
import type { ClusterGauges, Log, Metrics } from '../observability/index.ts';
import type { NodeShards, Placement } from '../placement/index.ts';
import { FailureDetector } from './failure-detector.ts';
import type { ClusterContext, Peers } from './cluster-context.ts';
import { Leases } from './leases.ts';
import { Membership } from './membership.ts';
import { ClusterOwners } from './owners.ts';
import { OrphanedShards } from './orphaned-shards.ts';
import { describeNodes, describeShard, getShardState, type ClusterStatus } from './status.ts';
import { checkWireVersion } from './joining.ts';
import { checkNodeId, wireVersion } from './records.ts';
import { RegisterUnavailable, TimedRegister, type Register } from './register.ts';
import { parseTiming, type Timing } from './timing.ts';
import { ClusterView, type ViewChange } from './view.ts';

const firstRetryMs = 250;
const maxRetryMs = 2_000;
const writableRetryMs = 50;

export interface LeasedPlacementOptions {
  /** This node's name, unique in the cluster: letters, digits, `.`, `_`, `-`. */
  readonly id: string;
  /** The version of its software; only shown. */
  readonly release: string;
  /** Where other services reach it: its entry tells the other nodes. Default: it does not tell. */
  readonly address?: string | undefined;
  readonly register: Register;
  readonly peers: Peers;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly timing?: Partial<Timing>;
  /** Default: {@link wireVersion}. */
  readonly wire?: number;
  /** Called with the shards whose owner is no longer a member: the asks that it got will not be answered. */
  readonly onOrphaned?: (shards: readonly number[]) => void;
}

/** What exists once the shards are known. */
interface Parts {
  readonly shards: NodeShards;
  readonly membership: Membership;
  readonly detector: FailureDetector;
  readonly leases: Leases;
}

export class LeasedPlacement implements Placement {
  readonly standalone = false;
  readonly owners: ClusterOwners;
  readonly #context: ClusterContext;
  readonly #view: ClusterView;
  readonly #orphanedShards: OrphanedShards;
  readonly #onOrphaned: (shards: readonly number[]) => void;
  #parts: Parts | undefined;
  #stopFollowing: () => void = () => undefined;
  #tick: Timer | undefined;
  #drained: Promise<void> | undefined;

  /** Throws a `TypeError` or `RangeError` that names the bad option. */
  constructor({ id, register, clock, timing, metrics, wire = wireVersion, ...rest }: LeasedPlacementOptions) {
    checkNodeId(id);
    const times = parseTiming(timing);
    const { release, address, peers, random, log, onOrphaned = () => undefined } = rest;
    const timed = new TimedRegister(register, clock, times.answerMs);
    const { counters } = metrics;
    this.#context = {
      id,
      release,
      wire,
      address,
      register: timed,
      peers,
      clock,
      random,
      log,
      counters,
      timing: times,
    };
    this.#view = new ClusterView({ register: timed, clock, onChange: change => this.#onViewChange(change) });
    this.owners = new ClusterOwners(this.#view);
    this.#orphanedShards = new OrphanedShards(this.#view);
    this.#onOrphaned = onOrphaned;
    metrics.exposeCluster(() => this.gauges);
  }

  /**
   * Before the node changes anything that others work with: resolves when no nodes of another wire version run; waits while the register
   * cannot be reached, until `stop` is aborted. Rejects with `ClusterRefusal`.
   */
  async checkFit(stop: AbortSignal): Promise<void> {
    const { register, wire } = this.#context;
    await this.#untilRegisterAnswers(
      () => checkWireVersion(register, wire),
      () => stop.aborted,
    );
  }

  /**
   * Resolves when the node is a member and serves every shard that it should serve for now; waits while the register cannot be reached.
   * Rejects with `ClusterRefusal` when the node cannot be part of the cluster: its id is taken, or its shard count or wire version
   * differs. During a drain it resolves early.
   */
  async start(shards: NodeShards): Promise<void> {
    if (this.#parts !== undefined || this.#drained !== undefined) {
      throw new Error('a placement starts once');
    }
    // Nothing is served without a lease.
    shards.serveUntil(0);
    const parts = this.#createParts(shards);
    this.#parts = parts;
    this.owners.shardCount = shards.count;
    this.#stopFollowing = this.#context.peers.onConnection(connected =>
      parts.membership.onConnectionChange(connected),
    );
    try {
      await this.#join(parts.membership);
    } catch (error) {
      this.#close();
      throw error;
    }
    if (this.#drained !== undefined) return;
    this.#scheduleTick();
    await parts.leases.whenIdle();
  }

  suspect(shard: number): void {
    this.#parts?.detector.suspect(shard);
  }

  drain(): Promise<void> {
    return (this.#drained ??= this.#drain());
  }

  /** The gauges at this moment. */
  get gauges(): ClusterGauges {
    const shards: Record<string, number> = {};
    const { leases, shards: all } = this.#parts ?? {};
    for (let shard = 0; leases !== undefined && shard < (all?.count ?? 0); shard++) {
      const state = getShardState(leases, shard);
      shards[state] = (shards[state] ?? 0) + 1;
    }
    return { members: this.#view.members.size, shards };
  }

  /** The cluster as this node sees it. */
  describe(): ClusterStatus {
    const { leases, membership, shards } = this.#parts ?? {};
    const { id, clock } = this.#context;
    const leasedMs = Math.max(0, (membership?.leasedUntil ?? 0) - clock.monotonic());
    return {
      self: id,
      state: membership?.state ?? 'outside',
      leasedMs: Math.round(leasedMs),
      nodes: describeNodes(this.#view, clock),
      lost: this.#view.listLost(),
      shards:
        leases === undefined
          ? []
          : Array.from({ length: shards?.count ?? 0 }, (_, shard) =>
              describeShard(this.#view, leases, shard),
            ),
    };
  }

  #createParts(shards: NodeShards): Parts {
    const context = this.#context;
    const view = this.#view;
    const membership = new Membership({
      context,
      view,
      shards: shards.count,
      writes: shards,
      serveUntil: monotonicMs => shards.serveUntil(monotonicMs),
      onLeaseValid: () => leases.onMembersChange(),
      onEvicted: () => void this.#rejoin(),
    });
    const detector = new FailureDetector({ context, view, membership });
    const leases = new Leases({ context, view, membership, detector, shards });
    return { shards, membership, detector, leases };
  }

  /** In the stack of the change: a lost shard must not be served when the lease is renewed. */
  #onViewChange(change: ViewChange): void {
    const parts = this.#parts;
    if (parts === undefined || change === 'heartbeat') return;
    this.owners.changed();
    if (change !== 'all') {
      this.#orphanedShards.onRecordChanged(change);
      parts.leases.onRecordChange(change);
      return;
    }
    parts.membership.onViewChange();
    parts.leases.onMembersChange();
    const orphaned = this.#orphanedShards.takeOrphaned(parts.shards.count);
    if (orphaned.length > 0) this.#onOrphaned(orphaned);
  }

  /** Rejects with `ClusterRefusal` only, or a defect. */
  #join(membership: Membership): Promise<void> {
    return this.#untilRegisterAnswers(
      async () => {
        await this.#view.open();
        await membership.join();
      },
      () => this.#drained !== undefined,
    );
  }

  async #untilRegisterAnswers(work: () => Promise<void>, isStopped: () => boolean): Promise<void> {
    const { clock, log, peers, random } = this.#context;
    const backoff = new Backoff(firstRetryMs, maxRetryMs, random);
    while (!isStopped()) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof RegisterUnavailable) && peers.connected) throw error;
        log.warn({ err: error }, 'the cluster cannot be joined yet: its register does not answer');
      }
      await pause(clock, backoff.next());
    }
  }

  /** Never rejects. */
  async #rejoin(): Promise<void> {
    const parts = this.#parts;
    if (parts === undefined) return;
    const { clock, log, timing } = this.#context;
    await parts.leases.dropAll();
    await this.#untilWritable(parts.shards);
    while (this.#drained === undefined) {
      try {
        await this.#join(parts.membership);
        return;
      } catch (error) {
        log.error({ err: error }, 'this node was evicted and cannot join again yet');
      }
      await pause(clock, timing.leaseMs);
    }
  }

  /** Until a write has succeeded that was sent after this call, or the drain. A node that cannot write would only have to step down. */
  async #untilWritable(shards: NodeShards): Promise<void> {
    const { clock } = this.#context;
    const since = clock.monotonic();
    while (this.#drained === undefined && shards.writtenAt < since) {
      shards.probe();
      await pause(clock, writableRetryMs);
    }
  }

  #scheduleTick(): void {
    const { clock, timing } = this.#context;
    this.#tick = clock.after(timing.pingMs, () => {
      this.#scheduleTick();
      this.#check();
    });
  }

  #check(): void {
    const { clock, log, timing } = this.#context;
    const { membership, detector, leases } = this.#parts ?? {};
    membership?.checkExpiry();
    detector?.tick();
    const view = this.#view;
    const isDue =
      clock.monotonic() - view.readAt >= timing.refreshMs ||
      view.hasUnknownOwner ||
      leases?.hasFailed === true;
    if (!isDue || view.isReading || membership?.isMember !== true) return;
    view.refresh().catch((error: unknown) => {
      log.debug({ err: error }, 'the register cannot be read');
    });
  }

  async #drain(): Promise<void> {
    const parts = this.#parts;
    if (parts === undefined) return;
    const { membership, leases } = parts;
    const { clock, timing, log } = this.#context;
    const handedOver = membership.startDraining().then(() => leases.whenIdle());
    if (!(await completesWithin(clock, timing.drainMs, handedOver))) {
      log.warn({}, 'not every shard was handed over in time: the others will be taken over');
    }
    const { finished } = await leases.close();
    await completesWithin(clock, timing.releaseMs, finished);
    await membership.leave();
    this.#close();
  }

  #close(): void {
    this.#tick?.cancel();
    this.#tick = undefined;
    this.#stopFollowing();
    this.#view.close();
  }
}
