/**
 * The store of the actors on PostgreSQL (`PostgresStore`), with group commit.
 *
 * A commit waits in `GroupCommit`; an idle `CommitLane` takes what waits, gathers it into a `Batch` of statements, and its
 * `LaneConnection` runs that as one pipelined transaction. What was appended is announced by the `CommitNotifier` of storage/events.
 */
export { PostgresStore } from './postgres-store.ts';
