/** What has to be right before a node may become a member. */
import type { ClusterHost } from './host.ts';
import { memberName } from './host.ts';
import { pause } from '../pause.ts';
import { birthKey, encode, memberKey } from './records.ts';
import type { ClusterView, Member } from './view.ts';

/** The node cannot be part of this cluster, and waiting would not change it. */
export class ClusterRefusal extends Error {
  override readonly name = 'ClusterRefusal';
}

/**
 * Holds the node to what was laid down at the cluster's birth; lays it down when the cluster is new. The wire version may be
 * another when nobody is there to speak to. Rejects with {@link ClusterRefusal}, `RegisterUnavailable`.
 */
export async function checkBirth(host: ClusterHost, view: ClusterView, shards: number): Promise<void> {
  const { register, wire } = host;
  if (view.birth === undefined) {
    const value = encode({ shards, wire });
    const revision = await register.create(birthKey, value);
    if (revision === undefined) await view.refresh();
    else view.apply({ key: birthKey, value, revision });
  }
  const { birth } = view;
  if (birth === undefined) throw new ClusterRefusal(`the register's entry "${birthKey}" cannot be read`);
  if (birth.shards !== shards) {
    throw new ClusterRefusal(
      `the cluster was born with ${birth.shards} shards, and this node is set to ${shards}: the count cannot be changed`,
    );
  }
  if (birth.wire === wire) return;
  if (view.members.size > 0) {
    throw new ClusterRefusal(
      `the cluster's nodes speak version ${birth.wire} to each other, and this node ${wire}: its release does not fit theirs. ` +
        `Stop them all before the first of this one is started: ${[...view.members.keys()].sort().join(', ')}`,
    );
  }
  const value = encode({ shards, wire });
  const revision = await register.update(birthKey, value, birth.revision);
  if (revision !== undefined) return view.apply({ key: birthKey, value, revision });
  await view.refresh();
  return checkBirth(host, view, shards);
}

/** A renewal that was under way when its sender died may come yet: one, since each names the revision that it follows. */
const mostLateRenewals = 1;

/**
 * Waits until an entry under this node's own id is out of the way: the leftover of a process that died, or of one that drains.
 * Rejects with {@link ClusterRefusal} when that process lives, and with `RegisterUnavailable`.
 */
export async function outlive(host: ClusterHost, view: ClusterView, leftover: Member): Promise<void> {
  const { id, clock, peers, register, timing } = host;
  const { incarnation } = leftover;
  const name = memberName(id, incarnation);
  const giveUpAt = clock.monotonic() + timing.drainMs + 2 * timing.leaseMs;
  let { revision } = leftover;
  let renewals = 0;
  let gone = 0;
  for (;;) {
    const sign = await peers.ping(name, timing.pingMs);
    gone = sign === 'gone' ? gone + 1 : 0;
    const now = view.member(id, incarnation);
    if (now === undefined) return;
    if (now.revision !== revision) renewals++;
    revision = now.revision;
    const leaving = now.state === 'draining' && clock.monotonic() < giveUpAt;
    if (!leaving && (sign === 'here' || renewals > mostLateRenewals)) {
      throw new ClusterRefusal(
        `a node named ${id} is in the cluster already: every node needs an id of its own`,
      );
    }
    const expired = clock.monotonic() - now.changedAt >= timing.leaseMs;
    if (expired || gone >= 2) {
      if (await register.remove(memberKey(id), now.revision)) view.removed(id, now.revision);
      else await view.refresh();
      gone = 0;
    } else {
      await pause(clock, timing.confirmMs);
    }
  }
}
