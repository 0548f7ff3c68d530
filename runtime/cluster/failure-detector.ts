/**
 * Finds members that are gone and removes them, by compare-and-set on the revision that the entry had when the suspicion began: a member
 * that has renewed its entry meanwhile stays.
 *
 *   trusted -> suspected   a ping finds it gone: its connection is closed
 *   suspected -> gone      another ping, `confirmMs` later, finds the same: removed
 *   suspected -> trusted   it answers, or it has renewed its entry
 *   trusted -> expired     its entry has not changed for `leaseMs`: it hangs, or its connection broke without notice; removed
 *
 * Each node pings the next two in the ring of all members, and at once the owner of a shard whose ask found no owner. A node that is only
 * cut off may be removed as gone: it suspended itself when it lost the connection (membership.ts).
 *
 * After an outage of its own, a node has not seen what the others did meanwhile. It counts their silence from the end of the outage,
 * and gives them `graceMs` to reconnect before it believes a ping.
 */
import { LRUCache } from 'lru-cache';
import { getMemberName, type ClusterContext } from './cluster-context.ts';
import type { Membership } from './membership.ts';
import { pause } from '../time/index.ts';
import { memberKey } from './records.ts';
import type { ClusterView, Member } from './view.ts';

const successorCount = 2;
/** Removed members for which the reason is remembered. */
const maxRemovals = 64;

/** The members after `self` in the ring of all ids; each is watched by two. */
export function pickSuccessors(ids: Iterable<string>, self: string): readonly string[] {
  const others = [...ids].filter(id => id !== self).sort();
  const next = others.findIndex(id => id > self);
  const from = next < 0 ? 0 : next;
  return [...others.slice(from), ...others.slice(0, from)].slice(0, successorCount);
}

/** Why a member was removed. */
export type RemovalReason = 'gone' | 'expired';

export interface FailureDetectorOptions {
  readonly context: ClusterContext;
  readonly view: ClusterView;
  readonly membership: Membership;
}

export class FailureDetector {
  readonly #options: FailureDetectorOptions;
  /** Members being pinged or removed. */
  readonly #busy = new Set<string>();
  /** When a member last answered a ping, by the monotonic clock. */
  readonly #answeredAt = new Map<string, number>();
  /** The last members that this node removed. */
  readonly #removals = new LRUCache<string, RemovalReason>({ max: maxRemovals });

  constructor(options: FailureDetectorOptions) {
    this.#options = options;
  }

  /** Why a former member was removed, if this node did it. */
  getRemovalReason(id: string, incarnation: string): RemovalReason | undefined {
    return this.#removals.get(getMemberName(id, incarnation));
  }

  /** One round of checks: call it every `pingMs`. */
  tick(): void {
    const { context, view, membership } = this.#options;
    for (const id of this.#answeredAt.keys()) if (!view.members.has(id)) this.#answeredAt.delete(id);
    if (!membership.isLeased) return;
    for (const member of view.members.values()) {
      if (member.id !== context.id && this.#isExpired(member)) void this.#remove(member, 'expired');
    }
    for (const id of pickSuccessors(view.members.keys(), context.id)) {
      const member = view.members.get(id);
      if (member !== undefined) void this.#check(member);
    }
  }

  /** An ask found no node that serves the shard. */
  suspect(shard: number): void {
    const { context, view, membership } = this.#options;
    const owner = view.getOwner(shard);
    if (owner === undefined || owner.id === context.id || !membership.isLeased) return;
    const answeredAt = this.#answeredAt.get(owner.id) ?? -Infinity;
    if (context.clock.monotonic() - answeredAt >= context.timing.pingMs) void this.#check(owner);
  }

  #isExpired({ changedAt }: Member): boolean {
    const { context, membership } = this.#options;
    const silentSince = Math.max(changedAt, membership.observingSince);
    return context.clock.monotonic() - silentSince >= context.timing.leaseMs;
  }

  /** Never rejects. */
  async #check(member: Member): Promise<void> {
    const { id, incarnation } = member;
    if (this.#busy.has(id)) return;
    this.#busy.add(id);
    const { context, membership } = this.#options;
    const { clock, peers, timing } = context;
    const name = getMemberName(id, incarnation);
    const since = clock.monotonic();
    let result = await peers.ping(name, timing.pingMs);
    if (result === 'gone') {
      await pause(clock, timing.confirmMs);
      result = await peers.ping(name, timing.pingMs);
    }
    this.#busy.delete(id);
    if (result === 'here') this.#answeredAt.set(id, clock.monotonic());
    const isConclusive = membership.isLeased && since - membership.connectedSince >= timing.graceMs;
    if (result === 'gone' && isConclusive) await this.#remove(member, 'gone');
  }

  /** Never rejects. */
  async #remove({ id, incarnation, revision }: Member, reason: RemovalReason): Promise<void> {
    if (this.#busy.has(id)) return;
    this.#busy.add(id);
    const { register, counters, log } = this.#options.context;
    try {
      if (await register.remove(memberKey(id), revision)) {
        if (reason === 'gone') counters.membersGone++;
        else counters.membersExpired++;
        log.warn({ member: id, incarnation, fate: reason }, 'removed a member from the cluster');
        this.#removals.set(getMemberName(id, incarnation), reason);
        this.#options.view.applyRemoval(id, revision);
      } else if (reason === 'expired') {
        // It has changed, and this node has missed that.
        await this.#options.view.refresh();
      }
    } catch (error) {
      log.debug({ err: error, member: id }, 'a member could not be removed');
    }
    this.#busy.delete(id);
  }
}
