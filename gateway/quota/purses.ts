/**
 * The purses of a node, by the name of their bucket: at most 40,000, about 10 MB. Two generations: whoever is asked for is in the
 * young one, and when that is full it becomes the old one, whose members are forgotten unless they are asked for again. So the
 * least recently used go, and no list has to be kept in order on every request.
 *
 * To be forgotten costs a bucket no more than the tokens that its purse held, and a flood the memory that it was refused.
 */
import { Purse, type Terms, type Till } from './purse.ts';

const generation = 20_000;

export class Purses {
  readonly #till: Till;
  #young = new Map<string, Purse>();
  #old = new Map<string, Purse>();

  constructor(till: Till) {
    this.#till = till;
  }

  /** Purses in memory. */
  get size(): number {
    return this.#young.size + this.#old.size;
  }

  of(bucket: string, terms: Terms): Purse {
    const young = this.#young.get(bucket);
    if (young !== undefined) return young;
    const old = this.#old.get(bucket);
    if (old !== undefined) this.#old.delete(bucket);
    const purse = old ?? new Purse(bucket, terms, this.#till);
    if (this.#young.size >= generation) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(bucket, purse);
    return purse;
  }
}
