/** What a request can switch, by its operation's schemas: fields of few values, such as `archived` and `status`. */
import type { Operation } from '../../protocol/operation.ts';
import type { Schema } from '../node/sample.ts';

/** A field and the values that it can have, `undefined` for none. */
export interface Switch {
  readonly name: string;
  readonly values: readonly unknown[];
}

/** More values than this are names, and switch nothing. */
const maxValues = 8;

export function getSwitches(operation: Operation, part: 'query' | 'body'): Switch[] {
  const { properties = {} } = (operation[part] ?? {}) as Schema;
  return Object.entries(properties).flatMap(([name, schema]) => {
    const values = schema.enum ?? (schema.type === 'boolean' ? [true, false] : []);
    return values.length === 0 || values.length > maxValues ? [] : [{ name, values: [undefined, ...values] }];
  });
}

/** Up to so many combinations are all tried. A list of threads has 5,103, and they were nine tenths of all requests. */
const maxCombinations = 100;

/**
 * Every combination of the values; where they are many, some of which any three switches have every combination of theirs. The first has none
 * of them.
 */
export function listCombinations(switches: readonly Switch[]): Readonly<Record<string, unknown>>[] {
  const count = switches.reduce((product, { values }) => product * values.length, 1);
  const rows =
    count > maxCombinations ? coverTriples(switches.map(({ values }) => values.length)) : undefined;
  if (rows !== undefined) {
    return rows.map(row =>
      Object.fromEntries(switches.map(({ name, values }, at) => [name, values[row[at] ?? 0]])),
    );
  }
  return switches.reduce<Readonly<Record<string, unknown>>[]>(
    (found, { name, values }) => values.flatMap(value => found.map(each => ({ ...each, [name]: value }))),
    [{}],
  );
}

/** Places of values by switch, of which each has so many. */
type Row = readonly number[];

/**
 * A covering array of strength three (D. Cohen et al., "The AETG system", 1997): row by row, each from a combination of three that is not in
 * one yet, and of the other switches the values that bring the most such combinations along.
 */
function coverTriples(sizes: readonly number[]): Row[] {
  const triples = sizes.flatMap((_, a) =>
    sizes.flatMap((_, b) => sizes.flatMap((_, c) => (a < b && b < c ? [[a, b, c] as const] : []))),
  );
  const toKey = (row: ReadonlyMap<number, number>, triple: readonly number[]): string =>
    triple.map(at => `${at}=${row.get(at)}`).join();
  const open = new Map<string, ReadonlyMap<number, number>>();
  for (const triple of triples) {
    for (const place of product(triple.map(at => sizes[at] ?? 0))) {
      const row = new Map(triple.map((at, index) => [at, place[index] ?? 0]));
      open.set(toKey(row, triple), row);
    }
  }
  const rows: Row[] = [];
  const add = (row: ReadonlyMap<number, number>): void => {
    for (const triple of triples) open.delete(toKey(row, triple));
    rows.push(sizes.map((_, at) => row.get(at) ?? 0));
  };
  add(new Map(sizes.map((_, at) => [at, 0])));
  for (let [next] = open.values(); next !== undefined; [next] = open.values()) {
    const row = new Map(next);
    for (const [at, size] of sizes.entries()) {
      if (row.has(at)) continue;
      const known = triples.filter(
        triple => triple.includes(at) && triple.every(each => each === at || row.has(each)),
      );
      const gains = Array.from({ length: size }, (_, value) => {
        const tried = new Map(row).set(at, value);
        return known.filter(triple => open.has(toKey(tried, triple))).length;
      });
      row.set(at, gains.indexOf(Math.max(...gains)));
    }
    add(row);
  }
  return rows;
}

/** Every combination of numbers below these. */
function product(sizes: readonly number[]): Row[] {
  return sizes.reduce<Row[]>(
    (found, size) => found.flatMap(row => Array.from({ length: size }, (_, value) => [...row, value])),
    [[]],
  );
}
