/** Loads snapshots: all that are asked for in one turn of the event loop come with one query per kind. */
import type { ActorRef } from '../runtime/actor.ts';
import { Unavailable, type Loaded } from '../runtime/store.ts';
import type { SnapshotTable } from './snapshot.ts';

/** Most ids in one query. */
const largestLoad = 1_000;

interface Waiting {
  readonly resolve: (loaded: Loaded | undefined) => void;
  readonly reject: (error: Error) => void;
}

type Query = (text: string, values: unknown[]) => Promise<Record<string, unknown>[]>;

export class Loader {
  readonly #tables: ReadonlyMap<string, SnapshotTable>;
  readonly #query: Query;
  readonly #waiting = new Map<SnapshotTable, Map<string, Waiting[]>>();
  #scheduled = false;

  constructor(tables: ReadonlyMap<string, SnapshotTable>, query: Query) {
    this.#tables = tables;
    this.#query = query;
  }

  /** Undefined where the actor has no row. Rejects with `Unavailable` when the database does not answer. */
  load(actor: ActorRef): Promise<Loaded | undefined> {
    const table = this.#tables.get(actor.kind);
    if (table === undefined)
      return Promise.reject(new Error(`no snapshot table for actors of kind ${actor.kind}`));
    return new Promise((resolve, reject) => {
      let ids = this.#waiting.get(table);
      if (ids === undefined) this.#waiting.set(table, (ids = new Map<string, Waiting[]>()));
      const same = ids.get(actor.id);
      if (same === undefined) ids.set(actor.id, [{ resolve, reject }]);
      else same.push({ resolve, reject });
      if (this.#scheduled) return;
      this.#scheduled = true;
      setImmediate(() => this.#fetchAll());
    });
  }

  #fetchAll(): void {
    this.#scheduled = false;
    for (const [table, ids] of this.#waiting) {
      const entries = [...ids];
      for (let i = 0; i < entries.length; i += largestLoad)
        void this.#fetch(table, new Map(entries.slice(i, i + largestLoad)));
    }
    this.#waiting.clear();
  }

  async #fetch(table: SnapshotTable, ids: Map<string, Waiting[]>): Promise<void> {
    try {
      const rows = await this.#query(table.load, [[...ids.keys()]]);
      for (const { text, version } of rows as { text: string; version: number }[]) {
        const row = JSON.parse(text) as Record<string, unknown>;
        const id = String(row[table.key]);
        const loaded: Loaded = { version: Number(version), state: table.decode(row) };
        for (const { resolve } of ids.get(id) ?? []) resolve(loaded);
        ids.delete(id);
      }
      for (const waiting of ids.values()) for (const { resolve } of waiting) resolve(undefined);
    } catch (error) {
      const failure = new Unavailable('the snapshot could not be loaded', { cause: error });
      for (const waiting of ids.values()) for (const { reject } of waiting) reject(failure);
    }
  }
}
