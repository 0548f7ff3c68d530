/**
 * The actors of this node in memory, and which of them leave it: those that were idle for their kind's `idleMs`, and, at the limit,
 * the least recently used of a sample. Redis evicts in the same way
 * (https://redis.io/docs/latest/develop/reference/eviction/, "Approximated LRU"): there is no list to keep in order on every command.
 */
import type { Activation, Kind } from '../actor/index.ts';

const sampleSize = 16;
/** How often the sweeps visit an actor per idle time: 4 makes it leave within a quarter more than its idle time. */
const visitsPerIdleTime = 4;

/** The actors of one kind in memory, with a hand that goes round over them, as in the clock algorithm for page replacement. */
export class ActivationTable {
  readonly kind: Kind;
  /** By id. Every command looks here: read it directly, change it by `add` and `remove`. */
  readonly byId: ReadonlyMap<string, Activation>;
  readonly #byId = new Map<string, Activation>();
  // A Map's iterator lives through insertions and deletions, and visits every entry once.
  #hand: Iterator<Activation, unknown> = this.#byId.values();

  constructor(kind: Kind) {
    this.kind = kind;
    this.byId = this.#byId;
  }

  get size(): number {
    return this.#byId.size;
  }

  add(activation: Activation): void {
    this.#byId.set(activation.ref.id, activation);
  }

  remove(id: string): void {
    this.#byId.delete(id);
  }

  /** The next actor of the clock sweep; undefined when the table is empty. */
  next(): Activation | undefined {
    const step = this.#hand.next();
    if (step.done !== true) return step.value;
    this.#hand = this.#byId.values();
    const again = this.#hand.next();
    return again.done === true ? undefined : again.value;
  }
}

/** Takes actors out of memory. */
export class Passivation {
  readonly #tables: readonly ActivationTable[];
  readonly #limit: number;

  constructor(tables: readonly ActivationTable[], limit: number) {
    this.#tables = tables;
    this.#limit = limit;
  }

  /** Actors in memory. */
  get size(): number {
    let total = 0;
    for (const table of this.#tables) total += table.size;
    return total;
  }

  /** Visits a part of the actors, so that no sweep takes long. */
  sweep(sweeps: number): void {
    for (const table of this.#tables) {
      const { idleSweeps } = table.kind;
      const visits = Math.ceil((table.size * visitsPerIdleTime) / idleSweeps);
      for (let i = Math.min(visits, table.size); i > 0; i--) {
        const activation = table.next();
        if (activation === undefined || sweeps - activation.lastUsed < idleSweeps || !activation.isEvictable)
          continue;
        activation.passivate();
        table.remove(activation.ref.id);
      }
    }
  }

  /** Makes room for one more. When the whole sample is busy, the limit is exceeded for a while. */
  makeRoom(): void {
    if (this.size < this.#limit) return;
    const table = this.#tables.reduce((a, b) => (b.size > a.size ? b : a));
    let oldest;
    for (let i = Math.min(sampleSize, table.size); i > 0; i--) {
      const activation = table.next();
      if (activation === undefined || !activation.isEvictable) continue;
      if (oldest === undefined || activation.lastUsed < oldest.lastUsed) oldest = activation;
    }
    if (oldest === undefined) return;
    oldest.passivate();
    table.remove(oldest.ref.id);
  }
}
