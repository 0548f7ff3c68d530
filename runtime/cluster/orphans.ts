/**
 * Shards whose owner is a member no more: what was asked of it and not answered will not be. NATS does not say so, since an ask that
 * was delivered is no longer its business, so whoever asked would wait until the deadline.
 */
import type { ClusterView } from './view.ts';

export class Orphans {
  readonly #view: ClusterView;
  /** The incarnation that owns each shard, as it was last seen alive. */
  readonly #owners = new Map<number, string>();
  #incarnations: ReadonlySet<string> = new Set();

  constructor(view: ClusterView) {
    this.#view = view;
  }

  /** To be called when the shard's record has changed. */
  changed(shard: number): void {
    const record = this.#view.shard(shard);
    if (record === undefined) this.#owners.delete(shard);
    else this.#owners.set(shard, record.incarnation);
  }

  /** The shards of members that have gone since the last call; to be called when the members have changed. */
  since(count: number): number[] {
    const before = this.#incarnations;
    const now = new Set([...this.#view.members.values()].map(({ incarnation }) => incarnation));
    const orphaned: number[] = [];
    for (let shard = 0; shard < count; shard++) {
      const owner = this.#owners.get(shard);
      if (owner !== undefined && before.has(owner) && !now.has(owner)) orphaned.push(shard);
      this.changed(shard);
    }
    this.#incarnations = now;
    return orphaned;
  }
}
