/**
 * Where the owners of shards take asks in lines, as learned from their answers, or from what they say when a tell asks for it. It may be out of
 * date at any time: a node that does not own the shard says so, and the ask goes to the shard's subject, which its owner alone listens on.
 */

/** An owner that does not say it, being older, or whose word was lost, is asked again after so many milliseconds. */
const askAgainMs = 1_000;

export class ShardLines {
  readonly #subjects = new Map<number, string>();

  /** By shard: when a tell has asked for it last, by the monotonic clock. */
  readonly #askedAt = new Map<number, number>();

  get(shard: number): string | undefined {
    return this.#subjects.get(shard);
  }

  set(shard: number, subject: string): void {
    this.#subjects.set(shard, subject);
    this.#askedAt.delete(shard);
  }

  /** Whether a tell to the shard, of which nothing is known, is to ask. `now`: by the monotonic clock. */
  takeQuestion(shard: number, now: number): boolean {
    if (now - (this.#askedAt.get(shard) ?? -Infinity) < askAgainMs) return false;
    this.#askedAt.set(shard, now);
    return true;
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
