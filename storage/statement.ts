/**
 * The vocabulary of a commit: rows for named statements. A lane gathers the rows of every commit in a batch and runs each
 * statement once, with one array per column.
 *
 * Arrays and not one JSON document: the server needs 14 microseconds a row to take a message apart in `json_to_recordset`, and
 * 3.5 to `unnest` the same columns, which outweighs the 1.5 that writing the array literals costs here.
 */

/**
 * How a column's values travel. `plain`: text that needs no escaping, because we mint it (ids, names of states, base64).
 * `json`, `jsontext`: JSON text, joined by U+001E, which JSON never contains unescaped; for columns of type json, and of type
 * text, where the server need not parse it. `jsonb`, `text`, `text[]`: escaped.
 */
export type ColumnType =
  'plain' | 'text' | 'bigint' | 'int' | 'timestamptz' | 'json' | 'jsontext' | 'jsonb' | 'text[]';

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

const separator = '\x1e';

const sqlType: Record<ColumnType, string> = {
  plain: 'text[]',
  text: 'text[]',
  bigint: 'bigint[]',
  int: 'int[]',
  timestamptz: 'timestamptz[]',
  json: 'text',
  jsontext: 'text',
  jsonb: 'text[]',
  'text[]': 'text[]',
};

/** What a column is cast to where it is used: only arrays of these travel as text. */
const castTo: Partial<Record<ColumnType, string>> = { json: 'json', jsonb: 'jsonb', 'text[]': 'text[]' };

/**
 * Builds a statement. `text` is given `input`, a FROM item that yields the rows under their column names, all of them
 * with their proper types, and `column`, which gives the array of one column's values as they travel (of json and jsonb: text).
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
  const arrays = types.map((type, index) =>
    isJoined(type) ? `string_to_array($${index + 1}::text, chr(30), '')` : `$${index + 1}::${sqlType[type]}`,
  );
  const values = names.map((column, index) => {
    const cast = castTo[types[index] ?? 'plain'];
    return `unnest(${arrays[index]})${cast === undefined ? '' : `::${cast}`} as ${column}`;
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
 */
export function parametersOf({ columns }: Statement, rows: readonly (readonly Value[])[]): string[] {
  return columns.map((type, column) => {
    if (rows.every(values => values[column] === null || values[column] === undefined))
      return isJoined(type) ? '' : '{}';
    if (isJoined(type)) return rows.map(values => values[column] ?? '').join(separator);
    let literal = '{';
    for (let i = 0; i < rows.length; i++) {
      if (i > 0) literal += ',';
      literal += elementOf(type, rows[i]?.[column]);
    }
    return `${literal}}`;
  });
}

function isJoined(type: ColumnType): boolean {
  return type === 'json' || type === 'jsontext';
}

function elementOf(type: ColumnType, value: Value): string {
  if (value === null || value === undefined) return 'null';
  switch (type) {
    case 'plain':
    case 'timestamptz':
    case 'bigint':
    case 'int':
      return `"${value as string | number}"`;
    case 'text':
    case 'jsonb':
    case 'json':
    case 'jsontext':
      return quote(value as string);
    case 'text[]':
      return quote(textArray(value as readonly string[]));
  }
}

const special = /["\\]/;

/** A literal of type text[], whatever the texts are. */
export function textArray(texts: readonly string[]): string {
  return `{${texts.map(quote).join(',')}}`;
}

/** An element of an array literal (PostgreSQL manual, 8.15.6). */
function quote(text: string): string {
  return special.test(text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : `"${text}"`;
}
