/**
 * How fast messages leave for the chat provider: so many of a number in a second, and one to a participant in so many. It is kept in
 * memory: after a restart it begins anew, and the provider's own limits, which are wider, are what a message may meet then.
 */

/** Messages of a number in a second, as the provider allows them to every number. */
const perSecond = 80;

/** Between two messages to one participant, in milliseconds. */
export const pairMs = 6_000;

/** The provider shows that somebody writes for 25 s. */
const typingMs = 20_000;

/** All times are epoch milliseconds. */
export class Pacer {
  /** When the next message of a number may leave. */
  readonly #numbers = new Map<string, number>();
  /** When the next message of a thread may leave, and the next mark of a message. The oldest is first, since all waits are alike. */
  readonly #threads = new Map<string, number>();
  readonly #typing = new Map<string, number>();

  /** Takes the number's next place. Gives when it is. */
  takePlace(phoneNumberId: string, now: number): number {
    const at = Math.max(now, this.#numbers.get(phoneNumberId) ?? 0);
    this.#numbers.set(phoneNumberId, at + 1_000 / perSecond);
    return at;
  }

  /** The provider takes no message of the number for a while. */
  pause(phoneNumberId: string, until: number): void {
    this.#numbers.set(phoneNumberId, Math.max(until, this.#numbers.get(phoneNumberId) ?? 0));
  }

  /** When the next message of the number may leave. */
  getNumberAt(phoneNumberId: string): number {
    return this.#numbers.get(phoneNumberId) ?? 0;
  }

  /** When the next message of the thread may leave. */
  getThreadAt(threadId: string): number {
    return this.#threads.get(threadId) ?? 0;
  }

  /** A message of the thread leaves now. */
  noteThread(threadId: string, now: number): void {
    note(this.#threads, threadId, now, pairMs);
  }

  /** It was not taken. */
  releaseThread(threadId: string): void {
    this.#threads.delete(threadId);
  }

  /** Whether the provider has to be told again that somebody writes. */
  mayShowTyping(externalMessageId: string, now: number): boolean {
    if ((this.#typing.get(externalMessageId) ?? 0) > now) return false;
    note(this.#typing, externalMessageId, now, typingMs);
    return true;
  }
}

/** Notes when it is over, and forgets what is over. */
function note(waits: Map<string, number>, key: string, now: number, ms: number): void {
  waits.delete(key);
  waits.set(key, now + ms);
  for (const [other, at] of waits) {
    if (at > now) break;
    waits.delete(other);
  }
}
