/**
 * Look-ups that every request needs (who is this key, may this user see that project), held in memory for at most
 * `maxAgeMs`, so that the hot path neither waits nor allocates.
 *
 * The age of an answer counts from the moment its query was sent, not from its arrival. Up to half of `maxAgeMs` an answer
 * is simply used; in the second half it is used and asked again in the background; after that the caller waits. Callers
 * that wait for one key share one query. `forget` takes effect at once in this process, also for a query in flight: its
 * answer still reaches those who asked before, and nobody after.
 *
 * A key is asked for the first time in a place of its own, and what is not there (`undefined`) is remembered, where it is at
 * all, in another: however many keys of nobody are asked for, what is held stays.
 */
import type { Clock } from '../../runtime/clock.ts';

interface Entry<V> {
  value: V;
  /** Monotonic milliseconds at which the query behind `value` was sent. */
  askedAt: number;
  asking: Promise<V | undefined> | undefined;
}

/** Keys remembered as not there; the one asked longest ago makes room. */
const maxAbsent = 1_000;

export interface LookUpOptions<V, Question> {
  readonly clock: Clock;
  /** Asks the database. */
  readonly ask: (question: Question) => Promise<V | undefined>;
  /** Milliseconds an answer may be used; default 1,000. */
  readonly maxAgeMs?: number;
  /** Answers held, and as many first questions that callers share; the one asked longest ago makes room. Default 10,000. */
  readonly maxEntries?: number;
  /** Milliseconds that a key is remembered as not there, for keys that will never be there once they are not. Default 0. */
  readonly absentMs?: number;
}

export class LookUps<V, Question> {
  readonly #held = new Map<string, Entry<V>>();
  /** Questions about keys that are not held. */
  readonly #asking = new Map<string, Promise<V | undefined>>();
  /** Until when, in monotonic milliseconds. */
  readonly #absent = new Map<string, number>();
  readonly #clock: Clock;
  readonly #ask: (question: Question) => Promise<V | undefined>;
  readonly #maxAgeMs: number;
  readonly #maxEntries: number;
  readonly #absentMs: number;

  constructor(options: LookUpOptions<V, Question>) {
    this.#clock = options.clock;
    this.#ask = options.ask;
    this.#maxAgeMs = options.maxAgeMs ?? 1000;
    this.#maxEntries = options.maxEntries ?? 10_000;
    this.#absentMs = options.absentMs ?? 0;
  }

  /** Answers held, and first questions under way. */
  get size(): number {
    return this.#held.size + this.#asking.size;
  }

  /** Whether something is known of the key, if only from a while ago: that it is there, that it is not, or that somebody asks. */
  knows(key: string): boolean {
    return this.#held.has(key) || this.#asking.has(key) || this.#isAbsent(key);
  }

  /**
   * The answer, synchronously when it is held and fresh. `key` names the question: it is what is kept, so that the question
   * itself may hold a secret. Rejects with what the database says.
   */
  get(key: string, question: Question): V | Promise<V | undefined> {
    const entry = this.#held.get(key);
    if (entry === undefined) {
      if (this.#isAbsent(key)) return Promise.resolve(undefined);
      return this.#asking.get(key) ?? this.#askFirst(key, question);
    }
    const age = this.#clock.monotonic() - entry.askedAt;
    if (age < this.#maxAgeMs) {
      if (age * 2 >= this.#maxAgeMs && entry.asking === undefined) {
        // A failure here is met again, and told, by the first caller who has to wait.
        this.#askAgain(key, question, entry).catch(() => undefined);
      }
      return entry.value;
    }
    return entry.asking ?? this.#askAgain(key, question, entry);
  }

  /** What the key names has changed: who asks next asks the database. */
  forget(key: string): void {
    this.#held.delete(key);
    this.#asking.delete(key);
    this.#absent.delete(key);
  }

  /** Forgets every answer that fits: for changes that concern many keys. */
  forgetWhere(fits: (value: V, key: string) => boolean): void {
    // A query in flight may have read the state before the change.
    this.#asking.clear();
    this.#absent.clear();
    for (const [key, entry] of this.#held) {
      if (entry.asking !== undefined || fits(entry.value, key)) this.#held.delete(key);
    }
  }

  #isAbsent(key: string): boolean {
    if (this.#absent.size === 0) return false;
    const until = this.#absent.get(key);
    return until !== undefined && this.#clock.monotonic() < until;
  }

  #askFirst(key: string, question: Question): Promise<V | undefined> {
    const askedAt = this.#clock.monotonic();
    const asking = this.#ask(question).then(
      value => {
        // Forgotten meanwhile, or asked for anew: the answer may be of before.
        if (this.#asking.get(key) !== asking) return value;
        this.#asking.delete(key);
        if (value !== undefined)
          put(this.#held, key, { value, askedAt, asking: undefined }, this.#maxEntries);
        else if (this.#absentMs > 0) put(this.#absent, key, askedAt + this.#absentMs, maxAbsent);
        return value;
      },
      (error: unknown) => {
        if (this.#asking.get(key) === asking) this.#asking.delete(key);
        throw error;
      },
    );
    put(this.#asking, key, asking, this.#maxEntries);
    return asking;
  }

  #askAgain(key: string, question: Question, entry: Entry<V>): Promise<V | undefined> {
    const askedAt = this.#clock.monotonic();
    put(this.#held, key, entry, this.#maxEntries);
    const asking = this.#ask(question).then(
      value => {
        entry.asking = undefined;
        if (this.#held.get(key) !== entry) return value;
        if (value === undefined) this.#held.delete(key);
        else Object.assign(entry, { value, askedAt });
        return value;
      },
      (error: unknown) => {
        entry.asking = undefined;
        throw error;
      },
    );
    entry.asking = asking;
    return asking;
  }
}

/** Puts the entry last, so that the map stays in the order of asking, and the first out when there is no room. */
function put<V>(map: Map<string, V>, key: string, value: V, max: number): void {
  map.delete(key);
  if (map.size >= max) {
    const oldest = map.keys().next();
    if (oldest.done !== true) map.delete(oldest.value);
  }
  map.set(key, value);
}
