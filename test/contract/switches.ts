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

/** Every combination of the values; the first has none of them. */
export function listCombinations(switches: readonly Switch[]): Readonly<Record<string, unknown>>[] {
  return switches.reduce<Readonly<Record<string, unknown>>[]>(
    (found, { name, values }) => values.flatMap(value => found.map(each => ({ ...each, [name]: value }))),
    [{}],
  );
}
