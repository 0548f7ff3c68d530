import { Migration } from '@mikro-orm/migrations';

/**
 * Threads by activity within a channel, a mode and an assignee, each with the status before the second, so that one index serves lists of one
 * status and of all of them. With `FewerThreadIndexes`, a message writes no more of them than before.
 */
export class ThreadParts extends Migration {
  override up(): void {
    this.addSql(
      `create index threads_by_status on threads (project_id, environment_id, status, active_second)`,
    );
    this.addSql(`create index threads_by_channel on threads (project_id, environment_id, channel_id, status, active_second)
      where channel_id is not null`);
    this.addSql(`create index threads_of_mode on threads (project_id, environment_id, agent_mode, status, active_second)
      where agent_mode is not null`);
    this.addSql(`create index threads_of_user on threads (project_id, environment_id, assignee_user_id, status, active_second)
      where assignee_user_id is not null`);
  }
}

/** Those in whose place these are: after them, so that no list is without an index meanwhile. */
export class FewerThreadIndexes extends Migration {
  override up(): void {
    this.addSql(`drop index threads_by_activity, threads_open, threads_not_open, threads_by_mode, threads_open_by_mode,
      threads_by_assignee, threads_of_assignee`);
  }
}
