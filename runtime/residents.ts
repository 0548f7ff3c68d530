/** The actors of one kind in memory, and a hand that goes round over them, as on a clock. */
import type { Activation } from './activation.ts';
import type { Kind } from './kind.ts';

export class Residents {
  readonly kind: Kind;
  readonly #byId = new Map<string, Activation>();
  // A Map's iterator lives through insertions and deletions, and visits every entry once.
  #hand: Iterator<Activation, unknown> = this.#byId.values();

  constructor(kind: Kind) {
    this.kind = kind;
  }

  get size(): number {
    return this.#byId.size;
  }

  get(id: string): Activation | undefined {
    return this.#byId.get(id);
  }

  add(activation: Activation): void {
    this.#byId.set(activation.ref.id, activation);
  }

  remove(id: string): void {
    this.#byId.delete(id);
  }

  all(): Iterable<Activation> {
    return this.#byId.values();
  }

  /** The next one under the hand; undefined when there is none. */
  next(): Activation | undefined {
    const step = this.#hand.next();
    if (step.done !== true) return step.value;
    this.#hand = this.#byId.values();
    const again = this.#hand.next();
    return again.done === true ? undefined : again.value;
  }
}
