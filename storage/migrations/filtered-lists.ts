import { Migration } from '@mikro-orm/migrations';

/**
 * What lists are asked for and few rows are is found by an index (storage/reads/threads.ts, storage/reads/deliveries.ts). None of these has
 * the rows that messages write: a thread that is open and has nothing set, a delivery that goes out. And none has a column that
 * changes more often than those that were there.
 */
export class FilteredLists extends Migration {
  override up(): void {
    this.addSql(`create index threads_not_open on threads (project_id, environment_id, status, active_second)
      where status <> 'open'`);
    this
      .addSql(`create index threads_by_mode on threads (project_id, environment_id, agent_mode, active_second)
      where agent_mode is not null`);
    this
      .addSql(`create index threads_by_assignee on threads (project_id, environment_id, assignee_user_id, active_second)
      where assignee_user_id is not null`);
    this.addSql(
      `create index threads_tagged on threads (project_id, environment_id, active_second) where tags <> '{}'`,
    );
    this
      .addSql(`create index webhook_deliveries_undelivered on webhook_deliveries (project_id, environment_id, status, created_at, delivery_id)
      where status in ('failed', 'cancelled')`);
  }
}
