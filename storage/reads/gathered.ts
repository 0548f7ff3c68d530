/**
 * Reads of single rows, gathered: all that are asked for in one turn of the event loop come with one query. With 64 readers of
 * single threads, a query of its own for each took most of what the node and the server spent on a read.
 */

/** Most keys in one query. */
const largestRead = 500;

interface Asked<Key, Row> {
  readonly key: Key;
  readonly resolve: (row: Row | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** Gives the found rows under the places of their keys, from 0. */
type Fetch<Key, Row> = (keys: readonly Key[]) => Promise<ReadonlyMap<number, Row>>;

export class Gathered<Key, Row> {
  readonly #fetch: Fetch<Key, Row>;
  #asked: Asked<Key, Row>[] = [];

  constructor(fetch: Fetch<Key, Row>) {
    this.#fetch = fetch;
  }

  /** Undefined where there is no such row. Rejects as the query does. */
  read(key: Key): Promise<Row | undefined> {
    return new Promise((resolve, reject) => {
      if (this.#asked.length === 0) setImmediate(() => this.#readAll());
      this.#asked.push({ key, resolve, reject });
    });
  }

  #readAll(): void {
    const asked = this.#asked;
    this.#asked = [];
    for (let from = 0; from < asked.length; from += largestRead) {
      void this.#readSome(asked.slice(from, from + largestRead));
    }
  }

  async #readSome(asked: readonly Asked<Key, Row>[]): Promise<void> {
    try {
      const rows = await this.#fetch(asked.map(({ key }) => key));
      asked.forEach(({ resolve }, place) => resolve(rows.get(place)));
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  }
}
