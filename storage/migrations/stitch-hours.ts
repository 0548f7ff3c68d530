import { Migration } from '@mikro-orm/migrations';

/**
 * What each stitch has tried in each hour, by how long it took: the counts of `GET /stitches/{stitchId}/stats` come from here, whose cost
 * does not grow with the attempts. The updates change no column of an index, and find room in their page.
 */
export class StitchHours extends Migration {
  override up(): void {
    this.addSql(`create table stitch_hours (
      stitch_id text collate "C" not null,
      hour timestamptz(3) not null,
      duration_class int not null,
      succeeded bigint not null default 0,
      failed bigint not null default 0,
      longest_wait_ms bigint not null default 0,
      primary key (stitch_id, hour, duration_class)
    ) with (fillfactor = 50)`);
    this.addSql(`create index stitch_hours_hour on stitch_hours (hour)`);
  }
}
