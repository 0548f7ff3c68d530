/** What a node has to check before it becomes a member. */
import { getMemberName, type ClusterContext } from './cluster-context.ts';
import { pause } from '../time/index.ts';
import { configKey, decodeConfig, encode, memberKey, parseKey } from './records.ts';
import type { Register } from './register.ts';
import type { ClusterView, Member } from './view.ts';

/** The node cannot be part of this cluster, and waiting would not change that. */
export class ClusterRefusal extends Error {
  override readonly name = 'ClusterRefusal';
}

function createWireRefusal(theirs: number, own: number, members: Iterable<string>): ClusterRefusal {
  return new ClusterRefusal(
    `the cluster's nodes use version ${theirs} of the protocol between nodes, and this node uses ${own}: its release does not fit theirs. ` +
      `Stop them all before the first of this one is started: ${[...members].sort().join(', ')}`,
  );
}

/**
 * Checks that no nodes of another wire version run, and changes nothing: for a node that has yet to migrate what they work with. Rejects
 * with {@link ClusterRefusal} and `RegisterUnavailable`.
 */
export async function checkWireVersion(register: Pick<Register, 'entries'>, wire: number): Promise<void> {
  const members: string[] = [];
  let theirs: number | undefined;
  for (const { key, value } of await register.entries()) {
    const parsed = parseKey(key);
    if (parsed?.of === 'member') members.push(parsed.id);
    else if (parsed?.of === 'config') theirs = decodeConfig(value)?.wire;
  }
  if (theirs !== undefined && theirs !== wire && members.length > 0) {
    throw createWireRefusal(theirs, wire, members);
  }
}

/**
 * Checks that the node fits the cluster's configuration, and writes that when the cluster is new. The wire version may change while there
 * are no members. Rejects with {@link ClusterRefusal} and `RegisterUnavailable`.
 */
export async function checkClusterConfig(
  context: ClusterContext,
  view: ClusterView,
  shards: number,
): Promise<void> {
  const { register, wire } = context;
  if (view.config === undefined) {
    const value = encode({ shards, wire });
    const revision = await register.create(configKey, value);
    if (revision === undefined) await view.refresh();
    else view.apply({ key: configKey, value, revision });
  }
  const { config } = view;
  if (config === undefined) throw new ClusterRefusal(`the register's entry "${configKey}" cannot be read`);
  if (config.shards !== shards) {
    throw new ClusterRefusal(
      `the cluster was created with ${config.shards} shards, and this node is set to ${shards}: the count cannot be changed`,
    );
  }
  if (config.wire === wire) return;
  if (view.members.size > 0) throw createWireRefusal(config.wire, wire, view.members.keys());
  const value = encode({ shards, wire });
  const revision = await register.update(configKey, value, config.revision);
  if (revision !== undefined) return view.apply({ key: configKey, value, revision });
  await view.refresh();
  return checkClusterConfig(context, view, shards);
}

/** A renewal that was in flight when its sender died may still arrive: only one, since each names the revision that it follows. */
const maxLateRenewals = 1;

/**
 * Waits until another entry under this node's id is gone: that of a predecessor that died, or that drains. Rejects with
 * {@link ClusterRefusal} when the predecessor lives, and with `RegisterUnavailable`.
 */
export async function awaitPredecessorGone(
  context: ClusterContext,
  view: ClusterView,
  predecessor: Member,
): Promise<void> {
  const { id, clock, peers, register, timing } = context;
  const { incarnation } = predecessor;
  const name = getMemberName(id, incarnation);
  const giveUpAt = clock.monotonic() + timing.drainMs + 2 * timing.leaseMs;
  let { revision } = predecessor;
  let renewals = 0;
  let gone = 0;
  for (;;) {
    const result = await peers.ping(name, timing.pingMs);
    gone = result === 'gone' ? gone + 1 : 0;
    const now = view.getMember(id, incarnation);
    if (now === undefined) return;
    if (now.revision !== revision) renewals++;
    revision = now.revision;
    const leaving = now.state === 'draining' && clock.monotonic() < giveUpAt;
    if (!leaving && (result === 'here' || renewals > maxLateRenewals)) {
      throw new ClusterRefusal(
        `a node named ${id} is in the cluster already: every node needs an id of its own`,
      );
    }
    const expired = clock.monotonic() - now.changedAt >= timing.leaseMs;
    if (expired || gone >= 2) {
      if (await register.remove(memberKey(id), now.revision)) view.applyRemoval(id, now.revision);
      else await view.refresh();
      gone = 0;
    } else {
      await pause(clock, timing.confirmMs);
    }
  }
}
