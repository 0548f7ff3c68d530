import { Migration } from '@mikro-orm/migrations';

/** An event about a stitch names it, since it does not get it. */
export class EventExceptions extends Migration {
  override up(): void {
    this.addSql(`alter table events add column except_stitch_id text collate "C"`);
  }
}
