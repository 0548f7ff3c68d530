/**
 * Work that is cheaper together: whatever is asked for in one turn of the event loop is gathered and done at once, as `dataloader`
 * does it. `setImmediate` runs after the poll phase, so all requests that a turn has read from its sockets share a batch.
 */

/** Gathers items and hands them over together, in their order, at the end of this turn of the event loop. */
export class TurnBatch<Item> {
  readonly #flush: (items: readonly Item[]) => void;
  readonly #atTurnEnd: (callback: () => void) => void;
  #items: Item[] = [];

  /** `atTurnEnd` calls back at the end of the turn; default `setImmediate`. */
  constructor(
    flush: (items: readonly Item[]) => void,
    atTurnEnd: (callback: () => void) => void = setImmediate,
  ) {
    this.#flush = flush;
    this.#atTurnEnd = atTurnEnd;
  }

  add(item: Item): void {
    if (this.#items.push(item) === 1) this.#atTurnEnd(() => this.flush());
  }

  /** Hands over all waiting items now. */
  flush(): void {
    const items = this.take();
    if (items.length > 0) this.#flush(items);
  }

  /** Removes and returns all waiting items. */
  take(): readonly Item[] {
    const items = this.#items;
    this.#items = [];
    return items;
  }
}

interface Load<Key, Value> {
  readonly key: Key;
  readonly resolve: (value: Value) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Answers single questions with one query for all that are asked in a turn. With 64 readers of single threads, a query for each
 * took most of the time that the node and the database spent on a read.
 */
export class BatchLoader<Key, Value> {
  readonly #query: (keys: readonly Key[]) => Promise<readonly (Value | Error)[]>;
  readonly #maxBatch: number;
  readonly #batch: TurnBatch<Load<Key, Value>>;

  /**
   * `query` gives the values in the order of its keys, of which it gets at most `maxBatch`; the same key may occur twice. An `Error` in
   * place of a value rejects that question alone. `atTurnEnd` is as of {@link TurnBatch}.
   */
  constructor(
    query: (keys: readonly Key[]) => Promise<readonly (Value | Error)[]>,
    maxBatch: number,
    atTurnEnd?: (callback: () => void) => void,
  ) {
    this.#query = query;
    this.#maxBatch = maxBatch;
    this.#batch = new TurnBatch(loads => this.#loadAll(loads), atTurnEnd);
  }

  /** Rejects as the query does. */
  load(key: Key): Promise<Value> {
    return new Promise((resolve, reject) => this.#batch.add({ key, resolve, reject }));
  }

  #loadAll(loads: readonly Load<Key, Value>[]): void {
    for (let from = 0; from < loads.length; from += this.#maxBatch) {
      void this.#loadSome(loads.slice(from, from + this.#maxBatch));
    }
  }

  /** Never rejects. */
  async #loadSome(loads: readonly Load<Key, Value>[]): Promise<void> {
    try {
      const values = await this.#query(loads.map(({ key }) => key));
      for (let i = 0; i < loads.length; i++) {
        const value = values[i];
        if (value instanceof Error) loads[i]?.reject(value);
        else loads[i]?.resolve(value as Value);
      }
    } catch (error) {
      for (const { reject } of loads) reject(error);
    }
  }
}
