/**
 * Whether the operator looks at another tab of the same environment, which shows what happens: then this one is silent. A tab that is looked
 * at says so to the others, again and again, so that one that is closed or dies is soon forgotten.
 */
import { createRandomKey } from '../../kit/random-key.ts';

/** The browser's, or that of a test. */
interface Channel {
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  postMessage(message: unknown): void;
  close(): void;
}

export interface TabsPort {
  /** Whether the operator does not look at this tab. */
  isAway(): boolean;
  now(): number;
  /** Runs the work later, once; returns what cancels it. */
  schedule(work: () => void, ms: number): () => void;
}

const sayEveryMs = 2_000;
/** The others do not hear of it at once where the machine has much to do. */
const forgottenAfterMs = 5_000;

export class Tabs {
  readonly #port: TabsPort;
  readonly #id = createRandomKey();
  /** Those that are looked at, and when they have said so. */
  readonly #lookedAt = new Map<string, number>();
  #isLookedAt = false;
  #channel: Channel | undefined;
  #cancel: (() => void) | undefined;

  constructor(port: TabsPort) {
    this.#port = port;
  }

  /**
   * @param channel between all of them
   * @param onElsewhere they look at another one now
   */
  open(channel: Channel, onElsewhere: () => void): void {
    this.#channel = channel;
    channel.addEventListener('message', ({ data }) => {
      if (this.#take(data)) onElsewhere();
    });
    this.look();
  }

  /** Whether the operator looks at none of them. */
  areAllAway(): boolean {
    if (!this.#port.isAway()) return false;
    const since = this.#port.now() - forgottenAfterMs;
    for (const [id, at] of this.#lookedAt) if (at < since) this.#lookedAt.delete(id);
    return this.#lookedAt.size === 0;
  }

  /** The operator has come, or gone. */
  readonly look = (): void => {
    this.#cancel?.();
    this.#cancel = undefined;
    const isLookedAt = !this.#port.isAway();
    if (isLookedAt || this.#isLookedAt) this.#say(isLookedAt);
    if (isLookedAt) this.#cancel = this.#port.schedule(this.look, sayEveryMs);
  };

  close(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    if (this.#isLookedAt) this.#say(false);
    this.#channel?.close();
    this.#channel = undefined;
    this.#lookedAt.clear();
  }

  #say(isLookedAt: boolean): void {
    this.#isLookedAt = isLookedAt;
    this.#channel?.postMessage({ id: this.#id, isLookedAt });
  }

  /** Gives whether another one is looked at. */
  #take(said: unknown): boolean {
    if (typeof said !== 'object' || said === null) return false;
    const { id, isLookedAt } = said as { readonly id?: unknown; readonly isLookedAt?: unknown };
    if (typeof id !== 'string') return false;
    if (isLookedAt === true) this.#lookedAt.set(id, this.#port.now());
    else this.#lookedAt.delete(id);
    return isLookedAt === true;
  }
}
