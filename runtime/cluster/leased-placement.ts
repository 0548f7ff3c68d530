/**
 * The placement of a node in a cluster: shards are owned under leases in a register that all nodes share.
 *
 *   new -> joining        `start`: watches the register, reads it, and becomes a member; waits while it cannot be reached
 *   joining -> running    member, and it serves what it is to serve for now
 *   running -> joining    evicted (membership.ts): it drops its shards and joins anew
 *   any -> draining       `drain`: hands its shards over, a few at a time
 *   draining -> closed    nothing is served any more, and its entry is removed
 *
 * A shard's lease is its owner's membership. There is no coordinator: every node computes the same desired owners from the same
 * register (rendezvous.ts), takes what is vacant and its own, and hands over what should be another's (shard-step.ts). Whatever a
 * node believes, each change is a compare-and-set, so by the register a shard has one owner; and whatever the register says,
 * the store refuses the writes of a second one (design section 2, rule 2).
 */
import type { Clock, Random, Timer } from '../clock.ts';
import type { Log } from '../log.ts';
import type { ClusterLevels, Metrics } from '../metrics.ts';
import type { Placement, Shards } from '../placement.ts';
import { FailureDetector } from './failure-detector.ts';
import type { ClusterHost } from './host.ts';
import { Leases } from './leases.ts';
import { Membership } from './membership.ts';
import { Orphans } from './orphans.ts';
import { doneWithin, pause } from '../pause.ts';
import type { Peers } from './peers.ts';
import { pictureOfShard, picturesOfNodes, stateOf, type ClusterPicture } from './picture.ts';
import { checkNodeId, wireVersion } from './records.ts';
import { RegisterUnavailable, type Register } from './register.ts';
import { TimedRegister } from './timed-register.ts';
import { timingOf, type Timing } from './timing.ts';
import { ClusterView, type Changed } from './view.ts';

const firstRetryMs = 250;
const longestRetryMs = 2_000;

export interface LeasedPlacementOptions {
  /** This node's name, unlike any other's in the cluster: letters, digits, `.`, `_`, `-`. */
  readonly id: string;
  /** The version of its software, to be shown. */
  readonly release: string;
  readonly register: Register;
  readonly peers: Peers;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly timing?: Partial<Timing>;
  /** Default: {@link wireVersion}. */
  readonly wire?: number;
  /** Called with the shards whose owner is a member no more: what it was asked has no answer to come. */
  readonly orphaned?: (shards: readonly number[]) => void;
}

/** What there is once the shards are known. */
interface Parts {
  readonly shards: Shards;
  readonly membership: Membership;
  readonly detector: FailureDetector;
  readonly leases: Leases;
}

export class LeasedPlacement implements Placement {
  readonly alone = false;
  readonly #host: ClusterHost;
  readonly #view: ClusterView;
  readonly #orphans: Orphans;
  readonly #orphaned: (shards: readonly number[]) => void;
  #parts: Parts | undefined;
  #stopFollowing: () => void = () => undefined;
  #tick: Timer | undefined;
  #drained: Promise<void> | undefined;

  /** Throws a `TypeError` or `RangeError` that names the bad option. */
  constructor({ id, register, clock, timing, metrics, wire = wireVersion, ...rest }: LeasedPlacementOptions) {
    checkNodeId(id);
    const times = timingOf(timing);
    const { release, peers, random, log, orphaned = () => undefined } = rest;
    const timed = new TimedRegister(register, clock, times.answerMs);
    const { counters } = metrics;
    this.#host = {
      ...{ id, release, wire, peers, clock, random, log, counters },
      register: timed,
      timing: times,
    };
    this.#view = new ClusterView({ register: timed, clock, changed: what => this.#changed(what) });
    this.#orphans = new Orphans(this.#view);
    this.#orphaned = orphaned;
    metrics.watchCluster(() => this.levels);
  }

  /**
   * Resolves when the node is a member and serves what it is to serve for now; waits while the register cannot be reached.
   * Rejects with `ClusterRefusal` when the node cannot be part of the cluster: its id is taken, its shard count or its wire version is
   * another. Once it drains, resolves without having done so.
   */
  async start(shards: Shards): Promise<void> {
    if (this.#parts !== undefined || this.#drained !== undefined) {
      throw new Error('a placement starts once');
    }
    // Nothing is served without a lease.
    shards.serveUntil(0);
    const parts = this.#partsFor(shards);
    this.#parts = parts;
    this.#stopFollowing = this.#host.peers.onConnection(connected =>
      parts.membership.connectionChanged(connected),
    );
    try {
      await this.#join(parts.membership);
    } catch (error) {
      this.#close();
      throw error;
    }
    if (this.#drained !== undefined) return;
    this.#scheduleTick();
    await parts.leases.calm();
  }

  suspect(shard: number): void {
    this.#parts?.detector.suspect(shard);
  }

  drain(): Promise<void> {
    return (this.#drained ??= this.#drain());
  }

  /** Levels at this moment. */
  get levels(): ClusterLevels {
    const shards: Record<string, number> = {};
    const { leases, shards: all } = this.#parts ?? {};
    for (let shard = 0; leases !== undefined && shard < (all?.count ?? 0); shard++) {
      const state = stateOf(leases, shard);
      shards[state] = (shards[state] ?? 0) + 1;
    }
    return { members: this.#view.members.size, shards };
  }

  /** The cluster as this node sees it. */
  describe(): ClusterPicture {
    const { leases, membership, shards } = this.#parts ?? {};
    const { id, clock } = this.#host;
    const leasedMs = Math.max(0, (membership?.leasedUntil ?? 0) - clock.monotonic());
    return {
      ...{ self: id, state: membership?.state ?? 'outside', leasedMs: Math.round(leasedMs) },
      nodes: picturesOfNodes(this.#view, clock),
      shards:
        leases === undefined
          ? []
          : Array.from({ length: shards?.count ?? 0 }, (_, shard) =>
              pictureOfShard(this.#view, leases, shard),
            ),
    };
  }

  #partsFor(shards: Shards): Parts {
    const host = this.#host;
    const view = this.#view;
    const membership = new Membership({
      ...{ host, view, shards: shards.count },
      serveUntil: monotonicMs => shards.serveUntil(monotonicMs),
      leased: () => leases.allChanged(),
      evicted: () => void this.#evicted(),
    });
    const detector = new FailureDetector({ host, view, membership });
    const leases = new Leases({ host, view, membership, detector, shards });
    return { shards, membership, detector, leases };
  }

  /** In the stack of the change: what is lost must not be served when the lease is renewed. */
  #changed(what: Changed): void {
    const parts = this.#parts;
    if (parts === undefined || what === 'beat') return;
    if (what !== 'all') {
      this.#orphans.changed(what);
      parts.leases.changed(what);
      return;
    }
    parts.membership.viewChanged();
    parts.leases.allChanged();
    const orphans = this.#orphans.since(parts.shards.count);
    if (orphans.length > 0) this.#orphaned(orphans);
  }

  /** Rejects with `ClusterRefusal` only, or a defect. */
  async #join(membership: Membership): Promise<void> {
    const { clock, log, peers } = this.#host;
    for (let retryMs = firstRetryMs; this.#drained === undefined;) {
      try {
        await this.#view.open();
        await membership.join();
        return;
      } catch (error) {
        if (!(error instanceof RegisterUnavailable) && peers.connected) throw error;
        log.warn({ err: error }, 'the cluster cannot be joined yet: its register does not answer');
      }
      await pause(clock, retryMs);
      retryMs = Math.min(2 * retryMs, longestRetryMs);
    }
  }

  /** Never rejects. */
  async #evicted(): Promise<void> {
    const parts = this.#parts;
    if (parts === undefined) return;
    const { clock, log, timing } = this.#host;
    await parts.leases.dropAll();
    while (this.#drained === undefined) {
      try {
        await this.#join(parts.membership);
        return;
      } catch (error) {
        log.error({ err: error }, 'this node was a member, and cannot be one again');
      }
      await pause(clock, timing.leaseMs);
    }
  }

  #scheduleTick(): void {
    const { clock, timing } = this.#host;
    this.#tick = clock.after(timing.pingMs, () => {
      this.#scheduleTick();
      this.#look();
    });
  }

  #look(): void {
    const { clock, log, timing } = this.#host;
    const { membership, detector, leases } = this.#parts ?? {};
    membership?.tick();
    detector?.tick();
    const view = this.#view;
    const isDue =
      clock.monotonic() - view.readAt >= timing.refreshMs || view.isPuzzled || leases?.hasFailed === true;
    if (!isDue || view.isReading || membership?.inside !== true) return;
    view.refresh().catch((error: unknown) => {
      log.debug({ err: error }, 'the register cannot be read');
    });
  }

  async #drain(): Promise<void> {
    const parts = this.#parts;
    if (parts === undefined) return;
    const { membership, leases } = parts;
    const { clock, timing, log } = this.#host;
    const handedOver = membership.startDraining().then(() => leases.calm());
    if (!(await doneWithin(clock, timing.drainMs, handedOver))) {
      log.warn({}, 'not every shard was handed over in time: the rest is left to be taken over');
    }
    const { finished } = await leases.close();
    await doneWithin(clock, timing.releaseMs, finished);
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
