/**
 * What this node does next about a shard's lease: a pure function of what it knows.
 *
 * The shard's ownership, by the register:
 *
 *   mine      its record names this node's incarnation
 *   others    its record names another member, or a node that this one does not know
 *   vacant    no record, or it names a former member
 *
 * This node's activity on the shard:
 *
 *   idle -> claiming           vacant, and this node is the desired owner: the record is being written. Also mine in doubt, see below
 *   claiming -> idle           written or not, as the ownership says
 *   idle -> taking             mine: the node begins to serve it
 *   taking -> held
 *   held -> handing over       mine, and another node is the desired owner: served until the shard is idle; what was admitted is finished,
 *                              then the record is written with the new owner
 *   idle -> handing over       the same with nothing to finish: mine, not served yet, and the node drains
 *   handing over -> idle       written or not, as the ownership says
 *   held -> leaving            no longer mine
 *   leaving -> idle            what was admitted is finished
 *
 * Mine in doubt: a hand-over was sent and not answered, so the record may still change. Before the shard is served again, this node
 * writes the record once more; the new revision makes the pending write fail.
 *
 * A node that drains and has no other to give its shards to serves them to the end.
 *
 * Of a shard one activity runs at a time, and without a valid lease only `leaving` begins.
 */

export type Ownership = 'mine' | 'others' | 'vacant';

export type ShardActivity = 'idle' | 'claiming' | 'taking' | 'held' | 'handing over' | 'leaving';

export interface ShardSituation {
  readonly ownership: Ownership;
  readonly activity: ShardActivity;
  /** The outcome of a hand-over is unknown, and the record is still as it was before. */
  readonly inDoubt: boolean;
  /** This node's lease is valid. */
  readonly leased: boolean;
  readonly draining: boolean;
  readonly self: string;
  /** The id of the node that should own it (rendezvous.ts); undefined when there is none. */
  readonly desired: string | undefined;
}

export type LeaseAction =
  | { readonly do: 'nothing' | 'claim' | 'take' | 'leave' }
  | { readonly do: 'hand over'; readonly to: string };

const nothing: LeaseAction = { do: 'nothing' };
const claim: LeaseAction = { do: 'claim' };
const take: LeaseAction = { do: 'take' };
const leave: LeaseAction = { do: 'leave' };

export function decideLeaseAction(situation: ShardSituation): LeaseAction {
  const { ownership, activity, inDoubt, leased, draining, self, desired } = situation;
  const target = desired === self ? undefined : desired;
  switch (activity) {
    case 'claiming':
    case 'taking':
    case 'handing over':
    case 'leaving':
      return nothing;
    case 'held':
      if (ownership !== 'mine') return leave;
      if (!leased) return nothing;
      return target === undefined ? nothing : { do: 'hand over', to: target };
    case 'idle':
      if (!leased) return nothing;
      if (ownership === 'vacant') return desired === self && !draining ? claim : nothing;
      if (ownership === 'others') return nothing;
      if (target !== undefined && (draining || inDoubt)) return { do: 'hand over', to: target };
      if (draining) return nothing;
      return inDoubt ? claim : take;
  }
}
