/**
 * Webhooks that this node has just stored. Mostly it works through them as well, and need not read what it has: that took a seventh of all
 * that a webhook takes. Those that another node works through, and those of a long backlog, make room for newer ones.
 */

/** A webhook as it was stored. */
export interface ChatappWebhook {
  /** Of the request that brought it; sorts by time. */
  readonly requestId: string;
  /** What the channel was connected to when it came. */
  readonly wabaId: string;
  readonly phoneNumberId: string;
  readonly receivedAt: Date;
  /** The raw body. */
  readonly body: Uint8Array;
  /** What it says, where it was parsed already: read by whoever parsed it. */
  readonly payload?: unknown;
}

/** Of bodies: 6,000 of one text each. With what they say they take some six times as much memory. */
const maxBytes = 4_194_304;

export class RecentWebhooks {
  /** The oldest first. */
  readonly #webhooks = new Map<string, ChatappWebhook>();
  #bytes = 0;

  /** It is committed. */
  add(webhook: ChatappWebhook): void {
    this.#webhooks.set(webhook.requestId, webhook);
    this.#bytes += webhook.body.length;
    for (const oldest of this.#webhooks.keys()) {
      if (this.#bytes <= maxBytes) break;
      this.take(oldest);
    }
  }

  /** Each once: who comes again reads what is stored. */
  take(requestId: string): ChatappWebhook | undefined {
    const webhook = this.#webhooks.get(requestId);
    if (webhook === undefined) return undefined;
    this.#webhooks.delete(requestId);
    this.#bytes -= webhook.body.length;
    return webhook;
  }
}
