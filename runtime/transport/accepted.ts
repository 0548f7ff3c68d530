/**
 * The asks that this node has taken lately, by their tokens, so that one that comes again is not done twice.
 *
 * An ask comes again when two nodes heard it: a node that was paused wakes up, is still subscribed, and says `NoOwner`, while its
 * successor is already at work on the same ask. The asker cannot know, and tries again with the same token.
 */

/** Two generations of so many: an ask comes again within 0.2 s, in which a node takes a few thousand. */
const generation = 20_000;

export class AcceptedAsks {
  #young = new Set<string>();
  #old = new Set<string>();

  /** False when the ask was taken before. */
  take(token: string): boolean {
    if (this.#young.has(token) || this.#old.has(token)) return false;
    if (this.#young.size >= generation) {
      this.#old = this.#young;
      this.#young = new Set();
    }
    this.#young.add(token);
    return true;
  }

  /** It was not done after all, and may come again. */
  forget(token: string): void {
    this.#young.delete(token);
    this.#old.delete(token);
  }
}
