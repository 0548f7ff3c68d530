/**
 * Named SQL statements whose parameters are whole columns: the vocabulary that decisions write in.
 *
 * `statement()` declares one, `snapshotTable()` declares the three of an actor's table; a `Write` is one row for a statement. The
 * commit lanes gather the rows of a batch and send each statement once, with one binary array per column. Imports nothing of
 * storage, so that pure decisions can use it.
 */
export { lockStreams, newestStream } from './newest-stream.ts';
export { type ColumnType, toParameters, toTextArrayLiteral, type Value } from './parameters.ts';
export { instant, type SnapshotTable, snapshotTable } from './snapshot-table.ts';
export { type AppendedEvent, type Statement, statement, type Write } from './statement.ts';
