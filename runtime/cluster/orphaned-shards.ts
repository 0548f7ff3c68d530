/**
 * Shards whose owner is no longer a member: it will not answer the asks that it got. NATS does not report this, because it has
 * delivered them, so the callers would wait until their deadlines.
 */
import type { ClusterView } from './view.ts';

export class OrphanedShards {
  readonly #view: ClusterView;
  /** The incarnation that owns each shard, by its last known record. */
  readonly #owners = new Map<number, string>();
  #incarnations: ReadonlySet<string> = new Set();

  constructor(view: ClusterView) {
    this.#view = view;
  }

  /** Call it when the shard's record has changed. */
  onRecordChanged(shard: number): void {
    const record = this.#view.getRecord(shard);
    if (record === undefined) this.#owners.delete(shard);
    else this.#owners.set(shard, record.incarnation);
  }

  /** The shards of members that have left since the last call. Call it when the members have changed. */
  takeOrphaned(count: number): number[] {
    const before = this.#incarnations;
    const now = new Set([...this.#view.members.values()].map(({ incarnation }) => incarnation));
    const orphaned: number[] = [];
    for (let shard = 0; shard < count; shard++) {
      const owner = this.#owners.get(shard);
      if (owner !== undefined && before.has(owner) && !now.has(owner)) orphaned.push(shard);
      this.onRecordChanged(shard);
    }
    this.#incarnations = now;
    return orphaned;
  }
}
