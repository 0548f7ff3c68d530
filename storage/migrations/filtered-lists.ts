import { Migration } from '@mikro-orm/migrations';

/**
 * Indexes for filters that few rows fit (storage/reads/threads.ts, storage/deliveries/delivery-log.ts). None of them has the rows that
 * messages write: an open thread with nothing set, a delivery that goes out. And none has a column that changes more often than those of
 * the existing indexes.
 */
export class FilteredLists extends Migration {
  override up(): void {
    this.addSql(`create index threads_not_open on threads (project_id, environment_id, status, active_second)
      where status <> 'open'`);
    this.addSql(`create index threads_by_mode on threads (project_id, environment_id, agent_mode, active_second)
      where agent_mode is not null`);
    this.addSql(`create index threads_by_assignee on threads (project_id, environment_id, assignee_user_id, active_second)
      where assignee_user_id is not null`);
    this.addSql(
      `create index threads_tagged on threads (project_id, environment_id, active_second) where tags <> '{}'`,
    );
    this.addSql(`create index webhook_deliveries_undelivered on webhook_deliveries (project_id, environment_id, status, created_at, delivery_id)
      where status in ('failed', 'cancelled')`);
  }
}
