/** Things that all have the same time to be over: first in, first to expire. One timer serves them all. */
export class Deadlines<Entry> {
  readonly #ms: number;
  readonly #expire: (entry: Entry) => void;
  /** When each entry is due, in milliseconds of `performance.now()`; a Map keeps the order of insertion. */
  readonly #due = new Map<Entry, number>();
  #timer: NodeJS.Timeout | undefined;

  /** `expire` is called once for each entry that is still here `ms` milliseconds after its `add`. */
  constructor(ms: number, expire: (entry: Entry) => void) {
    this.#ms = ms;
    this.#expire = expire;
  }

  get size(): number {
    return this.#due.size;
  }

  /**
   * Starts the entry's time. Not for one that is here already: it would be due later than its place in the order
   * says.
   */
  add(entry: Entry): void {
    this.#due.set(entry, performance.now() + this.#ms);
    this.#timer ??= setTimeout(() => this.#sweep(), this.#ms).unref();
  }

  remove(entry: Entry): void {
    this.#due.delete(entry);
  }

  /** Forgets every entry and the timer. */
  clear(): void {
    this.#due.clear();
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #sweep(): void {
    this.#timer = undefined;
    const now = performance.now();
    for (const [entry, at] of this.#due) {
      if (at > now) {
        this.#timer = setTimeout(() => this.#sweep(), Math.ceil(at - now)).unref();
        return;
      }
      this.#due.delete(entry);
      this.#expire(entry);
    }
  }
}
