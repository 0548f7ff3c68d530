/** The cluster as one node sees it, for operators: `GET /_internal/cluster`. */
import type { Clock } from '../time/index.ts';
import type { Ownership, ShardActivity } from './lease-action.ts';
import type { OwnershipCause } from './records.ts';
import type { ClusterView, Member, ShardRecord } from './view.ts';

export interface NodeStatus {
  readonly id: string;
  readonly incarnation: string;
  readonly release: string;
  readonly wire: number;
  readonly state: Member['state'];
  /** Epoch milliseconds, by its own clock. */
  readonly since: number;
  /** Time since its last renewal in the register, in milliseconds. */
  readonly lastSeenMs: number;
  /** Where other services reach it; null when it does not tell. */
  readonly address: string | null;
}

/**
 *   held           served by this node
 *   foreign        owned by another member
 *   vacant         owned by no member
 *   all others     this node's activity on it (lease-action.ts)
 */
export type ShardState = 'foreign' | 'vacant' | Exclude<ShardActivity, 'idle'>;

export interface ShardStatus {
  readonly shard: number;
  /** Null when it has none. */
  readonly owner: string | null;
  readonly state: ShardState;
  /** When it got its owner, in epoch milliseconds by the writer's clock; null when it never had one. */
  readonly since: number | null;
  /** How it came to the owner that its record names, and from whom; null when it never had one, or came from nobody. */
  readonly cause: OwnershipCause | null;
  readonly from: string | null;
  /** Who should own it; null when there is no node to. */
  readonly desired: string | null;
  /** Why it has this owner, in a few words. */
  readonly why: string;
}

export interface ClusterStatus {
  /** The node that reports this. */
  readonly self: string;
  /** `outside` while it is not a member, `left` after its drain. */
  readonly state: Member['state'] | 'outside' | 'left';
  /** How long it may serve without another renewal, in milliseconds; 0 when it serves nothing. */
  readonly leasedMs: number;
  readonly nodes: readonly NodeStatus[];
  /** Members that were removed as `gone` or `expired` in the last half hour, as far as this node has seen it, and have not come back. */
  readonly lost: readonly string[];
  readonly shards: readonly ShardStatus[];
}

/** What this node knows of the shards' leases. */
export interface LeaseView {
  getActivity(shard: number): ShardActivity;
  getOwnership(shard: number): Ownership;
  getDesiredOwner(shard: number): string | undefined;
}

export function describeNodes(view: ClusterView, clock: Clock): NodeStatus[] {
  return [...view.members.values()]
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ id, incarnation, release, wire, state, since, changedAt, address = null }) => {
      const lastSeenMs = Math.round(clock.monotonic() - changedAt);
      return { id, incarnation, release, wire, state, since, lastSeenMs, address };
    });
}

export function getShardState(leases: LeaseView, shard: number): ShardState {
  const activity = leases.getActivity(shard);
  if (activity !== 'idle') return activity;
  const ownership = leases.getOwnership(shard);
  // Owned, and not served yet.
  if (ownership === 'mine') return 'taking';
  return ownership === 'others' ? 'foreign' : 'vacant';
}

export function describeShard(view: ClusterView, leases: LeaseView, shard: number): ShardStatus {
  const record = view.getRecord(shard);
  const owner = view.getOwner(shard)?.id;
  const desired = leases.getDesiredOwner(shard);
  return {
    shard,
    owner: owner ?? null,
    state: getShardState(leases, shard),
    since: record?.since ?? null,
    cause: record?.cause ?? null,
    from: record?.from ?? null,
    desired: desired ?? null,
    why:
      owner === undefined && !view.isVacant(shard)
        ? `${record?.owner ?? 'a node'} owns it, which this node does not know yet`
        : explainOwner(record, owner, desired),
  };
}

function explainOwner(
  record: ShardRecord | undefined,
  owner: string | undefined,
  desired: string | undefined,
): string {
  if (owner === undefined) {
    const from = record === undefined ? 'it never had an owner' : `${record.owner} is no longer a member`;
    return desired === undefined
      ? `${from}; there is no node to take it`
      : `${from}; ${desired} will take it`;
  }
  const history = record === undefined ? '' : describeCause(record);
  return desired === undefined || desired === owner
    ? `desired by rendezvous; ${history}`
    : `${desired} waits for ${owner} to hand it over; ${history}`;
}

/** Only the node that removed a member knows how it ended. */
function describeCause({ cause, from = 'a node', fate = 'no longer a member' }: ShardRecord): string {
  switch (cause) {
    case 'first':
      return 'it had no owner before';
    case 'takeover':
      return `takeover from ${from}: ${fate}`;
    case 'handover':
      return `handed over by ${from}`;
    case 'kept':
      return 'kept when a hand-over failed';
    default:
      return cause satisfies never;
  }
}
