/** Systems that are compared take turns, forwards and backwards, and the medians of their rounds are compared. */
import { median, table, timesByRounds } from './table.ts';

/** With `--quick` a benchmark only shows that it works: one short round of everything. */
const isQuick = process.argv.includes('--quick');

/** The first value, or the second with `--quick`. */
export function quick<T>(full: T, small: T): T {
  return isQuick ? small : full;
}

export async function takeTurns<System, Sample>(
  systems: readonly System[],
  rounds: number,
  sample: (system: System) => Promise<Sample>,
): Promise<ReadonlyMap<System, readonly Sample[]>> {
  const samples = new Map<System, Sample[]>(systems.map(system => [system, []]));
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? systems : systems.toReversed();
    for (const system of order) samples.get(system)?.push(await sample(system));
  }
  return samples;
}

type Figures<Field extends string> = readonly Readonly<Record<Field, number>>[];

/** The median of one figure. Ignores samples that do not have it (NaN). */
export function middle<Field extends string>(samples: Figures<Field>, field: Field): number {
  return median(samples.map(sample => sample[field]).filter(value => !Number.isNaN(value)));
}

/** A cell of a table. `first`: the samples of the first system. */
export type Column<Sample> = (samples: readonly Sample[], first: readonly Sample[]) => string;

/** Shows the median of one figure. */
export const show =
  <Field extends string>(field: Field, format: (value: number) => string) =>
  (samples: Figures<Field>): string =>
    format(middle(samples, field));

const rates = (samples: Figures<'perSecond'>): number[] => samples.map(({ perSecond }) => perSecond);

/** Shows the rate of each system against the first. */
export const againstFirst: Column<Readonly<Record<'perSecond', number>>> = (samples, first) =>
  samples === first ? '' : timesByRounds(rates(samples), rates(first));

/** Shows the rate of the first system against each. */
export const firstAgainst: typeof againstFirst = (samples, first) =>
  samples === first ? '' : timesByRounds(rates(first), rates(samples));

/** A row for each system. `columns`: by their heads. */
export function compare<Sample>(
  samples: ReadonlyMap<{ readonly name: string }, readonly Sample[]>,
  columns: Readonly<Record<string, Column<Sample>>>,
  title = '',
): string {
  const [first = []] = samples.values();
  const rows = [...samples].map(([{ name }, of]) => [
    name,
    ...Object.values(columns).map(column => column(of, first)),
  ]);
  return table([title, ...Object.keys(columns)], rows);
}
