/**
 * Answers that every request needs (whose is this key, may this user see that project), held in memory for at most `maxAgeMs`, so that
 * the hot path neither waits nor allocates.
 *
 * The age of an answer counts from the moment its query was sent, not from its arrival. Up to half of `maxAgeMs` an answer is simply
 * used; in the second half it is used and loaded again in the background; after that the caller waits. Callers that wait for
 * one key share one query. `invalidate` takes effect in this process at once, also for a query in flight: its answer still
 * reaches the callers that wait for it, and nobody after them.
 *
 * The first query of a key, and the absence of a key (where that is remembered at all), are held apart from the answers. However many
 * unknown keys are asked for, the answers stay.
 */
import type { Clock } from '../../runtime/time/index.ts';

interface Entry<Value> {
  value: Value;
  /** Monotonic milliseconds at which the query behind `value` was sent. */
  sentAt: number;
  refresh: Promise<Value | undefined> | undefined;
}

/** Keys remembered as absent; the one that was loaded longest ago makes room. */
const maxAbsent = 1_000;

export interface TtlCacheOptions<Value, Query> {
  readonly clock: Clock;
  /** Asks the database. */
  readonly load: (query: Query) => Promise<Value | undefined>;
  /** Milliseconds that an answer may be used; default 1,000. */
  readonly maxAgeMs?: number;
  /** Answers held, and as many first queries in flight; the oldest makes room. Default 10,000. */
  readonly maxEntries?: number;
  /** Milliseconds that a key is remembered as absent. Default 0. Give more only where an absent key never appears later. */
  readonly absentMs?: number;
}

export class TtlCache<Value, Query> {
  readonly #held = new Map<string, Entry<Value>>();
  /** Queries in flight of keys that are not held. */
  readonly #first = new Map<string, Promise<Value | undefined>>();
  /** Until when, in monotonic milliseconds. */
  readonly #absent = new Map<string, number>();
  readonly #clock: Clock;
  readonly #load: (query: Query) => Promise<Value | undefined>;
  readonly #maxAgeMs: number;
  readonly #maxEntries: number;
  readonly #absentMs: number;

  constructor(options: TtlCacheOptions<Value, Query>) {
    this.#clock = options.clock;
    this.#load = options.load;
    this.#maxAgeMs = options.maxAgeMs ?? 1_000;
    this.#maxEntries = options.maxEntries ?? 10_000;
    this.#absentMs = options.absentMs ?? 0;
  }

  /** Answers held, and first queries in flight. */
  get size(): number {
    return this.#held.size + this.#first.size;
  }

  /** Whether anything is known of the key, however old: its answer, its absence, or that it is being loaded. */
  has(key: string): boolean {
    return this.#held.has(key) || this.#first.has(key) || this.#isAbsent(key);
  }

  /**
   * The answer, synchronously when it is held and fresh. Only `key` is kept, so `query` may hold a secret. Rejects as the database
   * does.
   */
  get(key: string, query: Query): Value | Promise<Value | undefined> {
    const entry = this.#held.get(key);
    if (entry === undefined) {
      if (this.#isAbsent(key)) return Promise.resolve(undefined);
      return this.#first.get(key) ?? this.#loadFirst(key, query);
    }
    const age = this.#clock.monotonic() - entry.sentAt;
    if (age < this.#maxAgeMs) {
      if (age * 2 >= this.#maxAgeMs && entry.refresh === undefined) {
        // A failure here is met again, and reported, by the first caller that has to wait.
        this.#refresh(key, query, entry).catch(() => undefined);
      }
      return entry.value;
    }
    return entry.refresh ?? this.#refresh(key, query, entry);
  }

  /** The answer has changed: the next caller asks the database. */
  invalidate(key: string): void {
    this.#held.delete(key);
    this.#first.delete(key);
    this.#absent.delete(key);
  }

  /** Invalidates every answer that fits: for changes that concern many keys. */
  invalidateWhere(fits: (value: Value, key: string) => boolean): void {
    // A query in flight may have read the state before the change.
    this.#first.clear();
    this.#absent.clear();
    for (const [key, entry] of this.#held) {
      if (entry.refresh !== undefined || fits(entry.value, key)) this.#held.delete(key);
    }
  }

  #isAbsent(key: string): boolean {
    if (this.#absent.size === 0) return false;
    const until = this.#absent.get(key);
    return until !== undefined && this.#clock.monotonic() < until;
  }

  #loadFirst(key: string, query: Query): Promise<Value | undefined> {
    const sentAt = this.#clock.monotonic();
    const loading = this.#load(query).then(
      value => {
        // Invalidated or loaded again meanwhile: the answer may be older than the change.
        if (this.#first.get(key) !== loading) return value;
        this.#first.delete(key);
        if (value !== undefined)
          putLast(this.#held, key, { value, sentAt, refresh: undefined }, this.#maxEntries);
        else if (this.#absentMs > 0) putLast(this.#absent, key, sentAt + this.#absentMs, maxAbsent);
        return value;
      },
      (error: unknown) => {
        if (this.#first.get(key) === loading) this.#first.delete(key);
        throw error;
      },
    );
    putLast(this.#first, key, loading, this.#maxEntries);
    return loading;
  }

  #refresh(key: string, query: Query, entry: Entry<Value>): Promise<Value | undefined> {
    const sentAt = this.#clock.monotonic();
    putLast(this.#held, key, entry, this.#maxEntries);
    const refresh = this.#load(query).then(
      value => {
        entry.refresh = undefined;
        if (this.#held.get(key) !== entry) return value;
        if (value === undefined) this.#held.delete(key);
        else Object.assign(entry, { value, sentAt });
        return value;
      },
      (error: unknown) => {
        entry.refresh = undefined;
        throw error;
      },
    );
    entry.refresh = refresh;
    return refresh;
  }
}

/**
 * Keeps the map in the order of loading; the first entry goes when there is no room. Not `lru-cache`: it makes an object for each read,
 * and deleting the only entry, as every load of `#first` does on a quiet node, clears arrays of `max` elements.
 */
function putLast<Value>(map: Map<string, Value>, key: string, value: Value, max: number): void {
  map.delete(key);
  if (map.size >= max) {
    const oldest = map.keys().next();
    if (oldest.done !== true) map.delete(oldest.value);
  }
  map.set(key, value);
}
