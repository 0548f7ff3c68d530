/**
 * Who leaves memory: actors that were idle for their kind's `idleMs`, and, at the resident limit, the least recently used
 * of a sample, as Redis evicts (https://redis.io/docs/latest/develop/reference/eviction/, "Approximated LRU"): no list to
 * keep in order on every message.
 */
import type { Residents } from './residents.ts';

const sample = 16;
/** Looks at one resident per idle time; 4 makes an actor leave within a quarter more than its idle time. */
const roundsPerIdleTime = 4;

export class Passivation {
  readonly #tables: readonly Residents[];
  readonly #limit: number;

  constructor(tables: readonly Residents[], limit: number) {
    this.#tables = tables;
    this.#limit = limit;
  }

  /** Actors in memory. */
  get residents(): number {
    let total = 0;
    for (const table of this.#tables) total += table.size;
    return total;
  }

  /** Looks at a part of the residents, so that no sweep is long. */
  sweep(tick: number): void {
    for (const table of this.#tables) {
      const { idleTicks } = table.kind;
      const looks = Math.ceil((table.size * roundsPerIdleTime) / idleTicks);
      for (let i = Math.min(looks, table.size); i > 0; i--) {
        const activation = table.next();
        if (activation === undefined || tick - activation.touched < idleTicks || !activation.evictable)
          continue;
        activation.passivate();
        table.remove(activation.ref.id);
      }
    }
  }

  /** Makes room for one more. When all of the sample are busy there is none, and the limit is exceeded for a while. */
  makeRoom(): void {
    if (this.residents < this.#limit) return;
    const table = this.#tables.reduce((a, b) => (b.size > a.size ? b : a));
    let oldest;
    for (let i = Math.min(sample, table.size); i > 0; i--) {
      const activation = table.next();
      if (activation === undefined || !activation.evictable) continue;
      if (oldest === undefined || activation.touched < oldest.touched) oldest = activation;
    }
    if (oldest === undefined) return;
    oldest.passivate();
    table.remove(oldest.ref.id);
  }
}
