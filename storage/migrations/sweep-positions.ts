import { Migration } from '@mikro-orm/migrations';

/** Where each periodic job continues (storage/paging/sweep-position.ts). */
export class SweepPositions extends Migration {
  override up(): void {
    this.addSql(`create table sweep_positions (
      job text collate "C" primary key,
      position text collate "C" not null
    )`);
  }
}
