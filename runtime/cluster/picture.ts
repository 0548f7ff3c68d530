/** The cluster as one node sees it, for people: `GET /_internal/cluster`. */
import type { Clock } from '../clock.ts';
import type { Doing, Standing } from './shard-step.ts';
import type { ClusterView, Member, ShardRecord } from './view.ts';

export interface NodePicture {
  readonly id: string;
  readonly incarnation: string;
  readonly release: string;
  readonly wire: number;
  readonly state: Member['state'];
  /** Epoch milliseconds, by its own clock. */
  readonly since: number;
  /** Since its last sign in the register, in milliseconds. */
  readonly lastSeenMs: number;
}

/**
 *   held           served by this node
 *   foreign        another member's
 *   vacant         nobody's
 *   all others     what this node is doing about it (shard-step.ts)
 */
export type ShardState = 'foreign' | 'vacant' | Exclude<Doing, 'idle'>;

export interface ShardPicture {
  readonly shard: number;
  /** Null: nobody. */
  readonly owner: string | null;
  readonly state: ShardState;
  /** When it got its owner, in epoch milliseconds by the writer's clock; null when it never had one. */
  readonly since: number | null;
  /** Why it is where it is, in a few words. */
  readonly why: string;
}

export interface ClusterPicture {
  /** The node that says so. */
  readonly self: string;
  /** `outside` while it is no member, `left` after its drain. */
  readonly state: Member['state'] | 'outside' | 'left';
  /** How long it may serve without another renewal, in milliseconds; 0: it serves nothing. */
  readonly leasedMs: number;
  readonly nodes: readonly NodePicture[];
  readonly shards: readonly ShardPicture[];
}

/** What is known of the shards. */
export interface ShardsSeen {
  doing(shard: number): Doing;
  standing(shard: number): Standing;
  desired(shard: number): string | undefined;
}

export function picturesOfNodes(view: ClusterView, clock: Clock): NodePicture[] {
  return [...view.members.values()]
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ id, incarnation, release, wire, state, since, changedAt }) => {
      const lastSeenMs = Math.round(clock.monotonic() - changedAt);
      return { id, incarnation, release, wire, state, since, lastSeenMs };
    });
}

export function stateOf(seen: ShardsSeen, shard: number): ShardState {
  const doing = seen.doing(shard);
  if (doing !== 'idle') return doing;
  const standing = seen.standing(shard);
  // Its own, and not taken yet.
  if (standing === 'mine') return 'taking';
  return standing === 'others' ? 'foreign' : 'vacant';
}

export function pictureOfShard(view: ClusterView, seen: ShardsSeen, shard: number): ShardPicture {
  const record = view.shard(shard);
  const owner = view.ownerOf(shard)?.id;
  const desired = seen.desired(shard);
  return {
    shard,
    owner: owner ?? null,
    state: stateOf(seen, shard),
    since: record?.since ?? null,
    why:
      owner === undefined && !view.isVacant(shard)
        ? `${record?.owner ?? 'somebody'} owns it, of whom nothing is known yet`
        : whyHere(record, owner, desired),
  };
}

function whyHere(
  record: ShardRecord | undefined,
  owner: string | undefined,
  desired: string | undefined,
): string {
  if (owner === undefined) {
    const from = record === undefined ? 'nobody has had it yet' : `${record.owner} is a member no more`;
    return desired === undefined
      ? `${from}; there is nobody to take it`
      : `${from}; ${desired} is to take it`;
  }
  const history = record === undefined ? '' : historyOf(record);
  return desired === undefined || desired === owner
    ? `desired by rendezvous; ${history}`
    : `${desired} waits for ${owner} to hand it over; ${history}`;
}

/** How a member ended is known to the node that removed it; others know that it is none any more. */
function historyOf({ cause, from = 'nobody', fate = 'a member no more' }: ShardRecord): string {
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
