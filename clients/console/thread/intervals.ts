/**
 * Which numbers of a thread are here without a gap. Each interval was read as one or more pages in a row; the newest one has no end, since
 * whatever comes live belongs to it. Intervals that touch become one.
 */
export interface Interval {
  /** Inclusive; 0: from the beginning. */
  readonly from: number;
  /** Inclusive; Infinity: up to whatever comes. */
  readonly to: number;
}

export class Intervals {
  /** In order, with a gap between each and the next. */
  #all: readonly Interval[] = [];

  find(sequence: number): Interval | undefined {
    return this.#all.find(({ from, to }) => from <= sequence && sequence <= to);
  }

  add(added: Interval): void {
    const touches = ({ from, to }: Interval): boolean => from <= added.to + 1 && added.from <= to + 1;
    const joined = this.#all
      .filter(touches)
      .reduce((one, { from, to }) => ({ from: Math.min(one.from, from), to: Math.max(one.to, to) }), added);
    const others = this.#all.filter(each => !touches(each));
    this.#all = [...others, joined].sort((one, other) => one.from - other.from);
  }
}
