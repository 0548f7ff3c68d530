/** The axis of costs: round amounts, each with as many digits as tell it from the next, however small they are. */

export interface CostAxis {
  /** From zero on, in millionths of a dollar, which is the least that is counted. */
  readonly ticks: readonly number[];
  /** After the point of a dollar. */
  readonly digits: number;
}

/** Above zero, at most. */
const mostTicks = 4;
/** Digits of a dollar after the point. */
const digitsOfMicros = 6;

/** @param highestMicros what the axis has to reach */
export function createCostAxis(highestMicros: number): CostAxis {
  const least = Math.max(1, highestMicros / mostTicks);
  const power = Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map(factor => factor * 10 ** power).find(each => each >= least) ?? least;
  const count = Math.max(1, Math.ceil(highestMicros / step));
  const exact = digitsOfMicros - Math.floor(Math.log10(step));
  return {
    ticks: Array.from({ length: count + 1 }, (_, index) => index * step),
    // Whole dollars, or cents and what is less.
    digits: exact <= 0 ? 0 : Math.max(2, exact),
  };
}
