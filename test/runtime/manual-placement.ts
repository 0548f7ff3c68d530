/** A placement for tests of several nodes in one process. */
import type { Placement, NodeShards } from '../../runtime/placement/placement.ts';

/** The test says who owns what. */
export class ManualPlacement implements Placement {
  readonly standalone = false;
  shards: NodeShards | undefined;
  readonly #first: readonly number[];

  constructor(first: readonly number[]) {
    this.#first = first;
  }

  async start(shards: NodeShards): Promise<void> {
    this.shards = shards;
    await Promise.all(this.#first.map(shard => this.take(shard)));
  }

  async take(shard: number): Promise<void> {
    await this.shards?.take(shard);
  }

  async release(shard: number): Promise<void> {
    await this.shards?.release([shard]);
  }

  suspect(): void {
    // The test knows.
  }

  async drain(): Promise<void> {
    const { shards } = this;
    await shards?.release(Array.from({ length: shards.count }, (_, shard) => shard));
  }
}
