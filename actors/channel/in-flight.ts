/**
 * What is on its way to or from the provider, by channel: messages, or files. A task of a channel may end before it has: what the provider
 * does not answer must not keep that of other participants waiting. So further tasks have to know of it.
 */
export class InFlight {
  readonly #channels = new Map<string, Map<string, Promise<void>>>();
  /** Channels of which a task waits for the end of all. */
  readonly #awaited = new Set<string>();
  #size = 0;

  /** Of all channels of the node. */
  get size(): number {
    return this.#size;
  }

  /** Channels that have something on its way. */
  get channels(): number {
    return this.#channels.size;
  }

  has(channelId: string, id: string): boolean {
    return this.#channels.get(channelId)?.has(id) === true;
  }

  /**
   * Resolves when it has ended.
   *
   * @param work never rejects
   */
  add(channelId: string, id: string, work: Promise<void>): Promise<void> {
    const begun = this.#channels.get(channelId) ?? new Map<string, Promise<void>>();
    this.#channels.set(channelId, begun);
    this.#size++;
    const ended = work.finally(() => {
      this.#size--;
      begun.delete(id);
      if (begun.size === 0 && this.#channels.get(channelId) === begun) this.#channels.delete(channelId);
    });
    begun.set(id, ended);
    return ended;
  }

  /** One promise for each, which resolves when it has ended. */
  list(channelId: string): readonly Promise<void>[] {
    return [...(this.#channels.get(channelId)?.values() ?? [])];
  }

  /**
   * Waits until the channel has nothing on its way, and calls `onEnded` whenever all that there was has ended. Returns at once where
   * another task of the channel does so: each that waits takes the place of a task.
   *
   * @param onEnded never rejects
   */
  async awaitAll(channelId: string, onEnded: () => Promise<void>): Promise<void> {
    if (this.#awaited.has(channelId)) return;
    this.#awaited.add(channelId);
    for (let begun = this.list(channelId); begun.length > 0; begun = this.list(channelId)) {
      await Promise.all(begun);
      await onEnded();
    }
    this.#awaited.delete(channelId);
  }
}
