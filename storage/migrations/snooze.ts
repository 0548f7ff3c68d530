import { Migration } from '@mikro-orm/migrations';

/** Until when a thread is put away. Of the threads few are, and messages change the column only by waking them. */
export class Snooze extends Migration {
  override up(): void {
    this.addSql(`alter table threads add column snoozed_until timestamptz(3)`);
    this.addSql(`create index threads_snoozed on threads (project_id, environment_id, snoozed_until)
      where snoozed_until is not null`);
  }
}
