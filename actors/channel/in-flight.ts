/**
 * Messages that are on their way to the provider from this node. A task of a channel may end before its messages have: one that the provider
 * does not answer must not keep those of other participants waiting. So further tasks have to know of it.
 */
export class InFlight {
  readonly #channels = new Map<string, Map<string, Promise<void>>>();

  has(channelId: string, messageId: string): boolean {
    return this.#channels.get(channelId)?.has(messageId) === true;
  }

  /** @param sending never rejects */
  add(channelId: string, messageId: string, sending: Promise<void>): void {
    const messages = this.#channels.get(channelId) ?? new Map<string, Promise<void>>();
    this.#channels.set(channelId, messages);
    const ended = sending.finally(() => {
      messages.delete(messageId);
      if (messages.size === 0 && this.#channels.get(channelId) === messages) this.#channels.delete(channelId);
    });
    messages.set(messageId, ended);
  }

  /** One promise for each message of the channel. */
  list(channelId: string): readonly Promise<void>[] {
    return [...(this.#channels.get(channelId)?.values() ?? [])];
  }
}
