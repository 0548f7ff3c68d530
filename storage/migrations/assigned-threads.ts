import { Migration } from '@mikro-orm/migrations';

/** Threads are found by their assignees. */
export class AssignedThreads extends Migration {
  override up(): void {
    this.addSql(
      `create index threads_assigned on threads (assignee_user_id, thread_id) where assignee_user_id is not null`,
    );
  }
}
