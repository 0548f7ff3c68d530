/**
 * How the others are looked after. A member is removed by compare-and-set on the revision of its entry as it was when the
 * suspicion began: one that has renewed itself meanwhile stays.
 *
 *   trusted -> suspected   a ping finds it gone: its connection is closed
 *   suspected -> gone      so does another one, `confirmMs` later: removed
 *   suspected -> trusted   it answers, or it has renewed itself
 *   trusted -> expired     its entry has not changed for `leaseMs`: it hangs, or is cut off without notice; removed
 *
 * Each node pings the next two in the ring of all members, and at once whoever holds a shard that an ask found ownerless. A
 * node that is merely cut off may be found gone, too: it has suspended itself when it lost the connection (membership.ts).
 *
 * After an outage of its own a node knows nothing of the others' doings meanwhile. So it counts their silence from then on
 * only, and gives them `graceMs` to find their way back before it believes a ping.
 */
import { memberName, type ClusterHost } from './host.ts';
import type { Membership } from './membership.ts';
import { pause } from '../pause.ts';
import { memberKey } from './records.ts';
import type { ClusterView, Member } from './view.ts';

const successorCount = 2;

/** The members after `self` in the ring of all ids: each is watched by two. */
export function successors(ids: Iterable<string>, self: string): readonly string[] {
  const others = [...ids].filter(id => id !== self).sort();
  const next = others.findIndex(id => id > self);
  const from = next < 0 ? 0 : next;
  return [...others.slice(from), ...others.slice(0, from)].slice(0, successorCount);
}

export type Fate = 'gone' | 'expired';

export interface FailureDetectorOptions {
  readonly host: ClusterHost;
  readonly view: ClusterView;
  readonly membership: Membership;
}

export class FailureDetector {
  readonly #options: FailureDetectorOptions;
  /** Members being pinged or removed. */
  readonly #busy = new Set<string>();
  /** When a member answered last, by the monotonic clock. */
  readonly #heard = new Map<string, number>();
  /** Those that this node has removed, the last ones. */
  readonly #fates = new Map<string, Fate>();

  constructor(options: FailureDetectorOptions) {
    this.#options = options;
  }

  /** What became of a former member, if this node knows. */
  fate(id: string, incarnation: string): Fate | undefined {
    return this.#fates.get(memberName(id, incarnation));
  }

  /** A round: to be called every `pingMs`. */
  tick(): void {
    const { host, view, membership } = this.#options;
    for (const id of this.#heard.keys()) if (!view.members.has(id)) this.#heard.delete(id);
    if (!membership.leased) return;
    for (const member of view.members.values()) {
      if (member.id !== host.id && this.#isExpired(member)) void this.#remove(member, 'expired');
    }
    for (const id of successors(view.members.keys(), host.id)) {
      const member = view.members.get(id);
      if (member !== undefined) void this.#check(member);
    }
  }

  /** An ask found nobody who serves the shard. */
  suspect(shard: number): void {
    const { host, view, membership } = this.#options;
    const owner = view.ownerOf(shard);
    if (owner === undefined || owner.id === host.id || !membership.leased) return;
    const heardAt = this.#heard.get(owner.id) ?? -Infinity;
    if (host.clock.monotonic() - heardAt >= host.timing.pingMs) void this.#check(owner);
  }

  #isExpired({ changedAt }: Member): boolean {
    const { host, membership } = this.#options;
    const silentSince = Math.max(changedAt, membership.observingSince);
    return host.clock.monotonic() - silentSince >= host.timing.leaseMs;
  }

  /** Never rejects. */
  async #check(member: Member): Promise<void> {
    const { id, incarnation } = member;
    if (this.#busy.has(id)) return;
    this.#busy.add(id);
    const { host, membership } = this.#options;
    const { clock, peers, timing } = host;
    const name = memberName(id, incarnation);
    const since = clock.monotonic();
    let sign = await peers.ping(name, timing.pingMs);
    if (sign === 'gone') {
      await pause(clock, timing.confirmMs);
      sign = await peers.ping(name, timing.pingMs);
    }
    this.#busy.delete(id);
    if (sign === 'here') this.#heard.set(id, clock.monotonic());
    const isWitness = membership.leased && since - membership.connectedSince >= timing.graceMs;
    if (sign === 'gone' && isWitness) await this.#remove(member, 'gone');
  }

  /** Never rejects. */
  async #remove({ id, incarnation, revision }: Member, fate: Fate): Promise<void> {
    if (this.#busy.has(id)) return;
    this.#busy.add(id);
    const { register, counters, log } = this.#options.host;
    try {
      if (await register.remove(memberKey(id), revision)) {
        if (fate === 'gone') counters.membersGone++;
        else counters.membersExpired++;
        log.warn({ member: id, incarnation, fate }, 'removed a member from the cluster');
        this.#remember(memberName(id, incarnation), fate);
        this.#options.view.removed(id, revision);
      } else if (fate === 'expired') {
        // It has changed, and this node did not hear of it.
        await this.#options.view.refresh();
      }
    } catch (error) {
      log.debug({ err: error, member: id }, 'a member could not be removed');
    }
    this.#busy.delete(id);
  }

  #remember(member: string, fate: Fate): void {
    this.#fates.set(member, fate);
    const [oldest] = this.#fates.keys();
    if (this.#fates.size > 64 && oldest !== undefined) this.#fates.delete(oldest);
  }
}
