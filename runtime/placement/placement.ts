/** Which shards a node owns: a placement decides it, and the node carries it out. */

/** Shows whether this node can write to the store. */
export interface WriteProof {
  /** When the last write that has succeeded was sent, by the monotonic clock; -Infinity before the first. */
  readonly writtenAt: number;
  /** Tries to commit a row, unless a try is under way. Never throws. */
  probe(): void;
}

/** A node's shards, as its placement handles them. Calls for one shard must not overlap. */
export interface NodeShards extends WriteProof {
  readonly count: number;
  /**
   * The node may serve the shards it owns until then (`Clock.monotonic`). After that new commands find no owner here, actors stay in
   * memory, and admitted commands are finished. Each call replaces the one before: 0 suspends at once, Infinity lifts the bound, which
   * is also the initial value.
   */
  serveUntil(monotonicMs: number): void;
  /** The node begins to serve the shard, whose lease the placement holds already. */
  take(shard: number): Promise<void>;
  /**
   * Resolves in a moment in which the shard is idle, or after `maxMs`. The shard is served as before. Call it before a planned
   * release, which then has nothing to finish.
   */
  waitUntilIdle(shard: number, maxMs: number): Promise<void>;
  /**
   * The node stops serving the shards, finishes the commands it admitted for them, and forgets their actors; then their leases may be
   * given away. The same after a lost lease: the store refuses late commits.
   */
  release(shards: readonly number[]): Promise<void>;
}

/** Decides which shards this node owns. */
export interface Placement {
  /** No other node can own a shard: a command that finds no owner here finds none elsewhere. */
  readonly standalone: boolean;
  /** Resolves when the node serves every shard that it should serve for now. */
  start(shards: NodeShards): Promise<void>;
  /** A hint: an ask found no owner of the shard, so its holder may be gone. Cheap, and never throws. */
  suspect(shard: number): void;
  /** Hands over every shard and takes no more. Idempotent. */
  drain(): Promise<void>;
}

/** The placement of a standalone node, which owns every shard. */
export class StandalonePlacement implements Placement {
  readonly standalone = true;
  #shards: NodeShards | undefined;

  async start(shards: NodeShards): Promise<void> {
    this.#shards = shards;
    await Promise.all(mapShards(shards.count, shard => shards.take(shard)));
  }

  suspect(): void {
    // No other node could own it.
  }

  async drain(): Promise<void> {
    const shards = this.#shards;
    this.#shards = undefined;
    await shards?.release(mapShards(shards.count, shard => shard));
  }
}

function mapShards<T>(count: number, map: (shard: number) => T): T[] {
  return Array.from({ length: count }, (_, shard) => map(shard));
}
