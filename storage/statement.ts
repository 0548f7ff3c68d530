/**
 * The vocabulary of a commit: rows for named statements. A lane gathers the rows of every commit in a batch and runs each
 * statement once, with all its rows as one JSON array (`json_to_recordset`: on batches of 500 it costs half the
 * client CPU of bound `unnest` arrays, 1.2 against 1.6 ms, and a third of the ORM's insertMany).
 */

/** A prepared statement with one parameter: `$1`, a JSON array of its rows. */
export interface Statement {
  /** Its name as a prepared statement; also how metrics and logs call it. */
  readonly name: string;
  /** Its place in the transaction, ascending. Snapshots are 10; events come last, at 90. */
  readonly order: number;
  readonly text: string;
}

/** One row for one statement. */
export interface Write {
  readonly statement: Statement;
  /** The row as JSON text, made once; where a row is also an answer or part of an event, the same text serves all. */
  readonly row: string;
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
