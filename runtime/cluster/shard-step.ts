/**
 * What this node does about a shard next: a pure function of what it knows.
 *
 * By the register (standing), a shard is
 *
 *   mine      its record names this node's incarnation
 *   others    its record names another member, or somebody of whom this node has not heard
 *   vacant    no record, or it names a former member
 *
 * On this node (doing) it is
 *
 *   idle -> claiming           vacant, and this node is the desired owner: the record is being written. Also mine in doubt, see below
 *   claiming -> idle           written, or not: the standing says
 *   idle -> taking             mine: the node begins to serve it
 *   taking -> held
 *   held -> handing over       mine, and another one is the desired owner: no longer served from the next lull on; what was
 *                              admitted is being finished, then the record is written over to the other
 *   idle -> handing over       the same with nothing to finish: mine, not served yet, and the node drains
 *   handing over -> idle       written, or not: the standing says
 *   held -> leaving            not mine any more
 *   leaving -> idle            what was admitted is finished
 *
 * Mine in doubt: a hand-over was sent and not answered, so the record may change at any moment. Before the shard is served again
 * the record is written anew, whose new revision voids what is under way.
 *
 * A node that drains and has nobody to give its shards to serves them to the end.
 *
 * One thing at a time is done for a shard, and nothing but leaving without a valid lease.
 */

export type Standing = 'mine' | 'others' | 'vacant';

export type Doing = 'idle' | 'claiming' | 'taking' | 'held' | 'handing over' | 'leaving';

export interface Situation {
  readonly standing: Standing;
  readonly doing: Doing;
  /** A hand-over's outcome is unknown, and the record is still as it was before. */
  readonly inDoubt: boolean;
  /** This node's lease is valid. */
  readonly leased: boolean;
  readonly draining: boolean;
  readonly self: string;
  /** Who should own it (rendezvous.ts); undefined when there is nobody. */
  readonly desired: string | undefined;
}

export type Step =
  { readonly do: 'nothing' | 'claim' | 'take' | 'leave' } | { readonly do: 'hand over'; readonly to: string };

const nothing: Step = { do: 'nothing' };
const claim: Step = { do: 'claim' };
const take: Step = { do: 'take' };
const leave: Step = { do: 'leave' };

export function nextStep(situation: Situation): Step {
  const { standing, doing, inDoubt, leased, draining, self, desired } = situation;
  const target = desired === self ? undefined : desired;
  switch (doing) {
    case 'claiming':
    case 'taking':
    case 'handing over':
    case 'leaving':
      return nothing;
    case 'held':
      if (standing !== 'mine') return leave;
      if (!leased) return nothing;
      return target === undefined ? nothing : { do: 'hand over', to: target };
    case 'idle':
      if (!leased) return nothing;
      if (standing === 'vacant') return desired === self && !draining ? claim : nothing;
      if (standing === 'others') return nothing;
      if (target !== undefined && (draining || inDoubt)) return { do: 'hand over', to: target };
      if (draining) return nothing;
      return inDoubt ? claim : take;
  }
}
