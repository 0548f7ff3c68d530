import { isDeepStrictEqual } from 'node:util';

/** Puts into the row what differs from it, and names it: what a change that changes nothing is told by. */
export function applyChanges<Row extends object>(
  row: Row,
  changes: { readonly [K in keyof Row]?: Row[K] | undefined },
): string[] {
  const names: string[] = [];
  for (const name of Object.keys(changes) as (keyof Row & string)[]) {
    const value = changes[name];
    if (value === undefined || isDeepStrictEqual(row[name], value)) continue;
    row[name] = value;
    names.push(name);
  }
  return names.sort();
}
