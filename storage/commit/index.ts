/**
 * The store of the actors on PostgreSQL (`PostgresStore`), with group commit.
 *
 * A commit waits in `GroupCommit`, which chooses the commits of the next batch. A `CommitLane` gathers them into a `Batch` of statements,
 * and its `LaneConnection` runs these as one pipelined transaction. The `CommitNotifier` of storage/events announces the appended events.
 */
export { PostgresStore } from './postgres-store.ts';
