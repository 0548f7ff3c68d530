import { Migration } from '@mikro-orm/migrations';

/**
 * Threads by their last change, and those of nobody's channel by their participant. The column is null until a thread changes: until then it
 * is sorted by its last message, which was its last change as a rule.
 */
export class ThreadOrders extends Migration {
  override up(): void {
    this.addSql(`alter table threads add column updated_second bigint`);
    this.addSql(`create index threads_by_change on threads
      (project_id, environment_id, greatest(active_second, updated_second))`);
    this.addSql(`create index threads_without_channel on threads (project_id, environment_id, external_ref)
      where channel_id is null and external_ref is not null`);
  }
}
