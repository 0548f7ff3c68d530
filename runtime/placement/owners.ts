/**
 * Who owns which shards, as this node knows it: for clients that send each command to its owner. A hint, out of date when it is read. No
 * command depends on it.
 */
export interface ShardOwners {
  /** 0 before the placement has started. */
  readonly shardCount: number;
  /** Where other services reach the shard's owner. Undefined: it has none, or one that has not told its address. */
  getAddress(shard: number): string | undefined;
  /** All members, those without a shard included. */
  listNodes(): readonly ShardOwner[];
  /** Calls back when the list may have changed, until the returned function is called. */
  onChange(listener: () => void): () => void;
}

export interface ShardOwner {
  readonly id: string;
  /** Undefined: it has not told. */
  readonly address: string | undefined;
  readonly shards: readonly number[];
}

/** A node that owns every shard, for good. */
export class SoleOwner implements ShardOwners {
  readonly shardCount: number;
  readonly #id: string;
  readonly #address: string | undefined;

  constructor(id: string, address: string | undefined, shardCount: number) {
    this.shardCount = shardCount;
    this.#id = id;
    this.#address = address;
  }

  getAddress(): string | undefined {
    return this.#address;
  }

  listNodes(): readonly ShardOwner[] {
    const shards = Array.from({ length: this.shardCount }, (_, shard) => shard);
    return [{ id: this.#id, address: this.#address, shards }];
  }

  onChange(): () => void {
    return () => undefined;
  }
}
