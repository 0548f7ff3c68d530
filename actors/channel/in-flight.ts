/**
 * What is on its way to or from the provider, by channel: messages, or files. A task of a channel may end before it has: what the provider
 * does not answer must not keep that of other participants waiting. So further tasks have to know of it.
 */
export class InFlight {
  readonly #channels = new Map<string, Map<string, Promise<void>>>();

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
    const ended = work.finally(() => {
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
}
