/**
 * The vocabulary of a commit: rows for named statements. A commit lane gathers the rows of every commit in a batch and runs each
 * statement once, with one array per column.
 *
 * Arrays and not one JSON document: the server needs 14 microseconds per row to take a message apart in `json_to_recordset`, and less
 * than 3 to `unnest` the same columns.
 */
import type { ColumnType, Value } from './parameters.ts';

export type Columns = Readonly<Record<string, ColumnType>>;

/** A prepared statement whose parameters are the columns of its rows. */
export interface Statement {
  /** Its name as a prepared statement. */
  readonly name: string;
  /** Its position in the transaction, ascending. What is only required of agents comes first, at 8; snapshots have 9 to 11; events come last, at 90. */
  readonly order: number;
  readonly text: string;
  readonly columns: readonly ColumnType[];
  /** Runs instead once a batch has met a taken key: it does the same, and names every such key. */
  readonly conflictAware?: Statement;
}

/** One row for one statement. */
export interface Write {
  readonly statement: Statement;
  /** In the order of the statement's columns. */
  readonly values: readonly Value[];
  /**
   * For statements that touch existing rows: which one. Of several writes with one key in a batch the last one counts, as if they had run
   * one after the other.
   */
  readonly key?: string;
  /** For statements whose key must be new: a second such write goes into a later batch, where it finds the first. */
  readonly unique?: true;
  /** For statements that give a unique value to an existing row: how the conflict-aware form names this one if the value is taken. */
  readonly claim?: string;
  /** The project whose row in `project_streams` the write, or a trigger of its actor's row, locks before the events are appended. */
  readonly locks?: string;
  /** For events: what is announced after the commit. */
  readonly event?: AppendedEvent;
}

/** An event that a commit appends, as far as it is needed to announce it. */
export interface AppendedEvent {
  readonly projectId: string;
  readonly eventId: string;
  readonly eventName: string;
  readonly environmentId: string;
  /** ISO 8601. */
  readonly occurredAt: string;
  readonly threadId?: string;
  /** Delivered to all stitches but this one (an event about the stitch itself). */
  readonly exceptStitchId?: string;
  /** The envelope's exact text. */
  readonly body: string;
  /** W3C Trace Context of the turn that made it; absent where its trace is not kept. */
  readonly traceparent?: string;
}

/**
 * Builds a statement. `text` is given `input`, a FROM item that yields the rows under the names of their columns, with their proper types,
 * and `column`, which gives the array of one column's values.
 *
 * The arrays are unnested side by side in a select list, which yields a row at a time: `unnest` of several arrays in FROM first stores
 * each of them (0.5 microseconds more for a row of a dozen columns).
 */
export function statement(
  name: string,
  order: number,
  columns: Columns,
  text: (input: string, column: (name: string) => string) => string,
): Statement {
  const names = Object.keys(columns);
  const types = Object.values(columns);
  // PostgreSQL has no arrays of arrays of different lengths: lists are sent as literals in a text array.
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
