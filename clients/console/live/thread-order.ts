/**
 * Which threads are shown, in their order. Of 100,000 threads that are listed, a page or an event concerns a few: those alone are looked at
 * again, and all of them once in a while, since some come and go with the time.
 */
import type { Thread } from '../../sdk/index.ts';

export interface OrderPort {
  get(threadId: string): Thread | undefined;
  all(): Iterable<Thread>;
  /** Whether it is shown. */
  has(thread: Thread): boolean;
  /** Below zero where the first comes before the second. No two have the same place. */
  compare(one: Thread, other: Thread): number;
  /** Milliseconds since 1970. */
  now(): number;
}

const allEveryMs = 20_000;
/** Where more than so many have changed, sorting all of them costs less than to put in each. */
const mostPutIn = 200;

export class ThreadOrder {
  readonly #port: OrderPort;
  readonly #changed = new Set<string>();
  #ids: readonly string[] = [];
  #shown = new Set<string>();
  #arrangedAllAt = -Infinity;

  constructor(port: OrderPort) {
    this.#port = port;
  }

  /** The thread is to be looked at again. */
  change(threadId: string): void {
    this.#changed.add(threadId);
  }

  /** All of them are. */
  changeAll(): void {
    this.#arrangedAllAt = -Infinity;
  }

  /** The same array while it is the same. */
  arrange(): readonly string[] {
    const isDue = this.#port.now() >= this.#arrangedAllAt + allEveryMs;
    if (isDue || this.#changed.size > mostPutIn) this.#arrangeAll();
    else if (this.#changed.size > 0) this.#arrangeChanged();
    this.#changed.clear();
    return this.#ids;
  }

  #arrangeAll(): void {
    this.#arrangedAllAt = this.#port.now();
    const shown = Array.from(this.#port.all()).filter(thread => this.#port.has(thread));
    const ids = shown.sort((one, other) => this.#port.compare(one, other)).map(({ threadId }) => threadId);
    this.#shown = new Set(ids);
    if (ids.length !== this.#ids.length || ids.some((id, index) => this.#ids[index] !== id)) this.#ids = ids;
  }

  #arrangeChanged(): void {
    const moves = Array.from(this.#changed).some(threadId => this.#shown.has(threadId));
    const ids = moves ? this.#ids.filter(threadId => !this.#changed.has(threadId)) : [...this.#ids];
    for (const threadId of this.#changed) {
      const thread = this.#port.get(threadId);
      const isShown = thread !== undefined && this.#port.has(thread);
      if (!isShown) {
        this.#shown.delete(threadId);
        continue;
      }
      this.#shown.add(threadId);
      ids.splice(this.#findPlace(ids, thread), 0, threadId);
    }
    this.#ids = ids;
  }

  /** Where in the order the thread belongs. */
  #findPlace(ids: readonly string[], thread: Thread): number {
    let [from, to] = [0, ids.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      const other = this.#port.get(ids[middle] ?? '');
      if (other !== undefined && this.#port.compare(other, thread) < 0) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}
