/**
 * Where the owners of shards take asks in lines, as learned from their answers. It may be out of date at any time: a node that does not
 * own the shard says so, and the ask goes to the shard's subject, which its owner alone listens on.
 */
export class ShardLines {
  readonly #subjects = new Map<number, string>();

  get(shard: number): string | undefined {
    return this.#subjects.get(shard);
  }

  set(shard: number, subject: string): void {
    this.#subjects.set(shard, subject);
  }

  /** The node behind the subject does not own the shard. It may be known by now who does. */
  forget(shard: number, subject: string): void {
    if (this.#subjects.get(shard) === subject) this.#subjects.delete(shard);
  }

  forgetShards(shards: Iterable<number>): void {
    for (const shard of shards) this.#subjects.delete(shard);
  }

  /** Nobody listens on the subject. */
  forgetSubject(subject: string): void {
    for (const [shard, known] of this.#subjects) if (known === subject) this.#subjects.delete(shard);
  }
}
