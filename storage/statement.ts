/**
 * The vocabulary of a commit: rows for named statements. A lane gathers the rows of every commit in a batch and runs each
 * statement once, with one array per column.
 *
 * Arrays and not one JSON document: the server needs 14 microseconds a row to take a message apart in `json_to_recordset`, and
 * less than 3 to `unnest` the same columns.
 */
import { binaryArray, textArray, type Element, type ElementType } from './arrays.ts';

/** The type of a column's values. */
export type ColumnType = ElementType | 'text[]';

export type Columns = Readonly<Record<string, ColumnType>>;

/** A value as a constructor gives it: JSON and jsonb as text, times as ISO 8601. */
export type Value = string | number | readonly string[] | null | undefined;

/** A prepared statement whose parameters are the columns of its rows. */
export interface Statement {
  /** Its name as a prepared statement; also how metrics and logs call it. */
  readonly name: string;
  /** Its place in the transaction, ascending. Snapshots are 10; events come last, at 90. */
  readonly order: number;
  readonly text: string;
  readonly columns: readonly ColumnType[];
  /** What runs in its place once its batch has met a key that is taken: the same, but it names every such key. */
  readonly wary?: Statement;
}

/** One row for one statement. */
export interface Write {
  readonly statement: Statement;
  /** In the order of the statement's columns. */
  readonly values: readonly Value[];
  /**
   * For statements that touch existing rows: which one. Of several writes with one key in a batch the last one counts, as
   * it would had they run one after the other.
   */
  readonly key?: string;
  /** For statements whose key must be new: a second such write goes into a later batch, and finds the first. */
  readonly unique?: true;
  /** For events: what the node announces once the commit has landed. */
  readonly event?: Announced;
}

/** What is needed of an event to show it live. */
export interface Announced {
  readonly projectId: string;
  readonly eventId: string;
  readonly eventName: string;
  /** The envelope's exact text. */
  readonly body: string;
}

/**
 * Builds a statement. `text` is given `input`, a FROM item that yields the rows under their column names, all of them
 * with their proper types, and `column`, which gives the array of one column's values.
 *
 * The arrays are unnested side by side in a select list, which yields a row at a time: `unnest` of several arrays in FROM keeps
 * each of them in a store of its own first (0.5 microseconds more for a row of a dozen columns).
 */
export function statement(
  name: string,
  order: number,
  columns: Columns,
  text: (input: string, column: (name: string) => string) => string,
): Statement {
  const names = Object.keys(columns);
  const types = Object.values(columns);
  // PostgreSQL has no arrays of arrays of different lengths: lists travel as the literals that they are in text.
  const arrays = types.map((type, index) => `$${index + 1}::${type === 'text[]' ? 'text' : type}[]`);
  const values = names.map((name, index) => {
    const cast = types[index] === 'text[]' ? '::text[]' : '';
    return `unnest(${arrays[index]})${cast} as ${name}`;
  });
  const input = `(select ${values.join(', ')}) as input`;
  const column = (given: string): string => {
    const array = arrays[names.indexOf(given)];
    if (array === undefined) throw new Error(`${name} has no column ${given}`);
    return array;
  };
  return { name, order, columns: types, text: text(input, column) };
}

/**
 * The statement's parameters for these rows: one per column. A column without a value in any row is an empty array: where an array
 * ends before the others, `unnest` gives null.
 *
 * @throws RangeError for a number or a time that its column cannot hold
 */
export function parametersOf({ columns }: Statement, rows: readonly (readonly Value[])[]): Buffer[] {
  return columns.map((type, index) => {
    const values = rows.map(row => row[index]);
    if (type === 'text[]') return binaryArray('text', values.map(literal));
    return binaryArray(type, values as readonly Element[]);
  });
}

function literal(list: Value): Element {
  return list === null || list === undefined ? list : textArray(list as readonly string[]);
}
