/**
 * Who should own a shard: by rendezvous hashing (Thaler and Ravishankar, "A Name-Based Mapping Scheme for Rendezvous", 1996)
 * over what the register says of the members. Every node computes the same from the same register; nobody coordinates. When a
 * member comes or goes, only its own shards move.
 */
import { murmur3 } from '../shards.ts';
import type { MemberState } from './records.ts';

/** A member, as far as the choice goes. */
export interface Candidate {
  readonly id: string;
  readonly state: MemberState;
}

/** Who may be given shards: the settled members; when there is none, all that do not drain. In the order of their ids. */
export function eligible(members: Iterable<Candidate>): readonly string[] {
  const staying = [...members].filter(({ state }) => state !== 'draining');
  const settled = staying.filter(({ state }) => state === 'settled');
  return (settled.length > 0 ? settled : staying).map(({ id }) => id).sort();
}

/** The one with the greatest weight for the shard; undefined of none. */
export function heaviest(ids: readonly string[], shard: number): string | undefined {
  let best: string | undefined;
  let most = -1;
  for (const id of ids) {
    const weight = murmur3(`${id}/${shard}`);
    if (weight > most || (weight === most && best !== undefined && id < best)) {
      best = id;
      most = weight;
    }
  }
  return best;
}

/**
 * Who should own the shard; undefined when there is nobody. A holder that is joining competes for what it holds: it took it
 * when nobody else was there, and to give it away only to get it back would be two moves for nothing.
 */
export function desiredOwner(
  members: readonly Candidate[],
  shard: number,
  holder?: string,
): string | undefined {
  return new Assignment(members).owner(shard, holder);
}

/** The same for one membership and many shards: remembers what it computed. */
export class Assignment {
  readonly #eligible: readonly string[];
  /** Members that may keep what they hold, and are given nothing. */
  readonly #joining: ReadonlySet<string>;
  readonly #owners: (string | undefined)[] = [];

  constructor(members: Iterable<Candidate>) {
    const all = [...members];
    this.#eligible = eligible(all);
    this.#joining = new Set(
      all.filter(({ id, state }) => state === 'joining' && !this.#eligible.includes(id)).map(({ id }) => id),
    );
  }

  owner(shard: number, holder?: string): string | undefined {
    const owner = (this.#owners[shard] ??= heaviest(this.#eligible, shard));
    if (owner === undefined || holder === undefined || !this.#joining.has(holder)) return owner;
    return heaviest([owner, holder], shard);
  }
}
