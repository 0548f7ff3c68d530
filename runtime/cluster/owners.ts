/** The owners of the shards by the register, for clients (runtime/placement/owners.ts). */
import type { ShardOwner, ShardOwners } from '../placement/index.ts';
import type { ClusterView } from './view.ts';

export class ClusterOwners implements ShardOwners {
  /** Set when the placement starts. */
  shardCount = 0;
  readonly #view: ClusterView;
  readonly #listeners = new Set<() => void>();

  constructor(view: ClusterView) {
    this.#view = view;
  }

  getAddress(shard: number): string | undefined {
    return this.#view.getOwner(shard)?.address;
  }

  listNodes(): readonly ShardOwner[] {
    const shards = new Map<string, number[]>();
    for (const id of [...this.#view.members.keys()].sort()) shards.set(id, []);
    for (let shard = 0; shard < this.shardCount; shard++) {
      const owner = this.#view.getOwner(shard);
      if (owner !== undefined) shards.get(owner.id)?.push(shard);
    }
    return Array.from(shards, ([id, owned]) => ({
      id,
      address: this.#view.members.get(id)?.address,
      shards: owned,
    }));
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** A record has changed, or a member has come or gone. */
  changed(): void {
    for (const listener of this.#listeners) listener();
  }
}
