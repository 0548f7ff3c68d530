/** Which shards a node owns: decided by a placement, carried out by the node. */

/** A node's shards, as a placement handles them. Calls for one shard must not overlap. */
export interface Shards {
  readonly count: number;
  /**
   * The node may serve what it owns until that instant (`Clock.monotonic`), and not after: past it new commands find no owner
   * here, actors stay in memory, and what was admitted is finished. Each call replaces the one before: 0 suspends at once,
   * Infinity lifts the bound. Before the first call there is none.
   */
  serveUntil(monotonicMs: number): void;
  /** The node begins to serve the shard. The placement holds its lease already. */
  take(shard: number): Promise<void>;
  /**
   * Resolves in a moment in which nothing is under way for the shard, or after `longestMs`. It is served as before: to be called
   * before a planned release, which then has nothing to finish.
   */
  lull(shard: number, longestMs: number): Promise<void>;
  /**
   * The node stops serving the shards, finishes what it admitted for them, and forgets their actors; then the leases may go.
   * After a lost lease, too: late commits are the store's to refuse.
   */
  release(shards: readonly number[]): Promise<void>;
}

/** Who decides which shards this node owns. */
export interface Placement {
  /** No other node can own a shard: what finds no owner here will not find one elsewhere. */
  readonly alone: boolean;
  /** Resolves when the node serves all that it is to serve for now. */
  start(shards: Shards): Promise<void>;
  /** A hint: an ask found no owner of the shard. Is its holder gone? Never throws, costs next to nothing. */
  suspect(shard: number): void;
  /** Hands over every shard and takes no more. Idempotent. */
  drain(): Promise<void>;
}

/** The placement of a node that is alone: it owns every shard. */
export class EveryShard implements Placement {
  readonly alone = true;
  #shards: Shards | undefined;

  async start(shards: Shards): Promise<void> {
    this.#shards = shards;
    await Promise.all(every(shards.count, shard => shards.take(shard)));
  }

  suspect(): void {
    // Nobody else could own it.
  }

  async drain(): Promise<void> {
    const shards = this.#shards;
    this.#shards = undefined;
    await shards?.release(every(shards.count, shard => shard));
  }
}

function every<T>(count: number, of: (shard: number) => T): T[] {
  return Array.from({ length: count }, (_, shard) => of(shard));
}
