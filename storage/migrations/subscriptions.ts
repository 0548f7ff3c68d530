import { Migration } from '@mikro-orm/migrations';

/** A project counts the changes of what its stitches follow. */
export class Subscriptions extends Migration {
  override up(): void {
    this.addSql(`alter table project_streams add column subscriptions bigint not null default 0`);
  }
}
