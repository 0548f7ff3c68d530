import { Migration } from '@mikro-orm/migrations';

/**
 * What a row of an inbox shows and is found by, how many of a thread's messages each user has read, and the suggestions that wait. The
 * columns are null until a thread or a run changes, or a cursor moves.
 *
 * A thread in which nothing but messages happens is in three more indexes than before: it is open, assigned to nobody, and may wait. They
 * change with the second of the last message at most, as threads_by_activity does. All others have the few threads that need somebody.
 */
export class Inbox extends Migration {
  override up(): void {
    this.addSql(`alter table threads
      add column waiting_since timestamptz(3),
      add column window_minute bigint,
      add column pending_suggestion text collate "C",
      add column failed_sends int`);
    this.addSql(`alter table read_cursors add column inbound_count bigint`);
    this.addSql(`alter table agent_runs add column suggestion_status text`);
    this.addSql(`create index threads_waiting on threads (project_id, environment_id, waiting_since)
      where waiting_since is not null`);
    this.addSql(`create index threads_unassigned on threads (project_id, environment_id, active_second)
      where status = 'open' and assignee_user_id is null`);
    this.addSql(`create index threads_open on threads (project_id, environment_id, active_second)
      where status = 'open'`);
    this.addSql(`create index threads_of_assignee on threads (project_id, environment_id, assignee_user_id, active_second)
      where status = 'open' and assignee_user_id is not null`);
    this.addSql(`create index threads_open_by_mode on threads (project_id, environment_id, agent_mode, active_second)
      where status = 'open' and agent_mode is not null`);
    this.addSql(`create index threads_by_window on threads (project_id, environment_id, window_minute)
      where window_minute is not null`);
    this.addSql(`create index threads_with_suggestion on threads (project_id, environment_id, active_second)
      where pending_suggestion is not null`);
    this.addSql(`create index threads_with_failures on threads (project_id, environment_id, active_second)
      where failed_sends is not null`);
    this.addSql(`create index agent_runs_suggesting on agent_runs (project_id, environment_id, created_at, agent_run_id)
      where suggestion_status = 'pending'`);
  }
}
