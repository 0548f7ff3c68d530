/**
 * Who should own a shard: by rendezvous hashing (Thaler and Ravishankar, "A Name-Based Mapping Scheme for Rendezvous", 1996)
 * over the members in the register. Every node computes the same from the same register, without a coordinator. When a member joins
 * or leaves, only its own shards move.
 */
import { murmur3 } from '../placement/index.ts';
import type { MemberState } from './records.ts';

/** What the choice needs of a member. */
export interface Candidate {
  readonly id: string;
  readonly state: MemberState;
}

/** The members that may be given shards: the settled ones; when there are none, all that do not drain. In the order of their ids. */
export function listEligible(members: Iterable<Candidate>): readonly string[] {
  const staying = [...members].filter(({ state }) => state !== 'draining');
  const settled = staying.filter(({ state }) => state === 'settled');
  return (settled.length > 0 ? settled : staying).map(({ id }) => id).sort();
}

/** A member, and its weight for each shard, as far as they were computed. */
interface Weighed {
  readonly id: string;
  readonly weights: number[];
}

/** The id with the greatest weight for the shard; undefined when there are none. */
function pickHeaviest(candidates: readonly Weighed[], shard: number): string | undefined {
  let best: string | undefined;
  let bestWeight = -1;
  for (const { id, weights } of candidates) {
    const weight = (weights[shard] ??= murmur3(`${id}/${shard}`));
    if (weight > bestWeight || (weight === bestWeight && best !== undefined && id < best)) {
      best = id;
      bestWeight = weight;
    }
  }
  return best;
}

/**
 * The id of the node that should own the shard; undefined when there is none. A holder that is joining competes for the shards it
 * holds: it took them when no other node was there, and giving them away only to get them back would be two needless moves.
 */
export function pickOwner(members: readonly Candidate[], shard: number, holder?: string): string | undefined {
  return new Assignment(members).pickOwner(shard, holder);
}

/** The same for one set of members and many shards: remembers what it computed. */
export class Assignment {
  /** All members, also those that may be given nothing: the next set has most of them, too. */
  readonly #weighed: ReadonlyMap<string, Weighed>;
  readonly #eligible: readonly Weighed[];
  /** Members that may keep what they hold, and get nothing else. */
  readonly #joining: ReadonlySet<string>;
  readonly #owners: (string | undefined)[] = [];

  /**
   * @param before the assignment of the members until now, whose weights are taken over: at each change among 200 members of 256 shards they would
   * be 51,200 hashes
   */
  constructor(members: Iterable<Candidate>, before?: Assignment) {
    const all = [...members];
    const known = before === undefined ? undefined : before.#weighed;
    const weighed = new Map<string, Weighed>();
    for (const { id } of all) weighed.set(id, known?.get(id) ?? { id, weights: [] });
    const eligible = listEligible(all);
    this.#weighed = weighed;
    this.#eligible = this.#find(eligible);
    this.#joining = new Set(
      all.filter(({ id, state }) => state === 'joining' && !eligible.includes(id)).map(({ id }) => id),
    );
  }

  pickOwner(shard: number, holder?: string): string | undefined {
    const owner = (this.#owners[shard] ??= pickHeaviest(this.#eligible, shard));
    if (owner === undefined || holder === undefined || !this.#joining.has(holder)) return owner;
    return pickHeaviest(this.#find([owner, holder]), shard);
  }

  #find(ids: readonly string[]): Weighed[] {
    return ids.flatMap(id => this.#weighed.get(id) ?? []);
  }
}
