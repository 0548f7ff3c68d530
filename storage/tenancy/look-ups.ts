/**
 * Look-ups that every request needs (who is this key, may this user see that project), held in memory for at most
 * `maxAgeMs`, so that the hot path neither waits nor allocates.
 *
 * The age of an answer counts from the moment its query was sent, not from its arrival. Up to half of `maxAgeMs` an answer
 * is simply used; in the second half it is used and asked again in the background; after that the caller waits. Callers
 * that wait for one key share one query. `forget` takes effect at once in this process, also for a query in flight: its
 * answer still reaches those who asked before, and nobody after. What is not there (`undefined`) is not remembered.
 */
import type { Clock } from '../../runtime/clock.ts';

interface Entry<V> {
  value: V | undefined;
  /** Monotonic milliseconds at which the query behind `value` was sent. */
  askedAt: number;
  asking: Promise<V | undefined> | undefined;
}

export interface LookUpOptions<V, Question> {
  readonly clock: Clock;
  /** Asks the database. */
  readonly ask: (question: Question) => Promise<V | undefined>;
  /** Milliseconds an answer may be used; default 1,000. */
  readonly maxAgeMs?: number;
  /** Answers held; the one asked longest ago makes room. Default 10,000. */
  readonly maxEntries?: number;
}

export class LookUps<V, Question> {
  readonly #entries = new Map<string, Entry<V>>();
  readonly #clock: Clock;
  readonly #ask: (question: Question) => Promise<V | undefined>;
  readonly #maxAgeMs: number;
  readonly #maxEntries: number;

  constructor(options: LookUpOptions<V, Question>) {
    this.#clock = options.clock;
    this.#ask = options.ask;
    this.#maxAgeMs = options.maxAgeMs ?? 1000;
    this.#maxEntries = options.maxEntries ?? 10_000;
  }

  /** Answers held, and questions under way. */
  get size(): number {
    return this.#entries.size;
  }

  /**
   * The answer, synchronously when it is held and fresh. `key` names the question: it is what is kept, so that the question
   * itself may hold a secret. Rejects with what the database says.
   */
  get(key: string, question: Question): V | Promise<V | undefined> {
    const entry = this.#entries.get(key);
    if (entry === undefined) {
      return this.#load(key, question, { value: undefined, askedAt: 0, asking: undefined });
    }
    if (entry.value !== undefined) {
      const age = this.#clock.monotonic() - entry.askedAt;
      if (age < this.#maxAgeMs) {
        if (age * 2 >= this.#maxAgeMs && entry.asking === undefined) {
          // A failure here is met again, and told, by the first caller who has to wait.
          this.#load(key, question, entry).catch(() => undefined);
        }
        return entry.value;
      }
    }
    return entry.asking ?? this.#load(key, question, entry);
  }

  /** What the key names has changed: who asks next asks the database. */
  forget(key: string): void {
    this.#entries.delete(key);
  }

  /** Forgets every answer that fits: for changes that concern many keys. */
  forgetWhere(fits: (value: V, key: string) => boolean): void {
    for (const [key, entry] of this.#entries) {
      // A query in flight may have read the state before the change.
      if (entry.value === undefined || entry.asking !== undefined || fits(entry.value, key)) {
        this.#entries.delete(key);
      }
    }
  }

  #load(key: string, question: Question, entry: Entry<V>): Promise<V | undefined> {
    const askedAt = this.#clock.monotonic();
    // Taking the entry out and in again keeps the map ordered by the time of asking.
    this.#entries.delete(key);
    if (this.#entries.size >= this.#maxEntries) {
      const oldest = this.#entries.keys().next();
      if (oldest.done !== true) this.#entries.delete(oldest.value);
    }
    this.#entries.set(key, entry);
    const asking = this.#ask(question).then(
      value => {
        entry.asking = undefined;
        entry.value = value;
        entry.askedAt = askedAt;
        if (value === undefined && this.#entries.get(key) === entry) this.#entries.delete(key);
        return value;
      },
      (error: unknown) => {
        entry.asking = undefined;
        if (entry.value === undefined && this.#entries.get(key) === entry) this.#entries.delete(key);
        throw error;
      },
    );
    entry.asking = asking;
    return asking;
  }
}
