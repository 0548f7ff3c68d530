import { Migration } from '@mikro-orm/migrations';

/** A notice to the owners of a stitch is kept until it is sent, and stitches with unfinished work are found by an index. */
export class UnfinishedStitches extends Migration {
  override up(): void {
    this.addSql(`update stitches set state = state || '{"ownerNews":[]}' where not state ? 'ownerNews'`);
    this.addSql(`create index stitches_unfinished on stitches (stitch_id)
      where state ->> 'cancelUntil' is not null or state ->> 'replays' <> '[]' or state ->> 'ownerNews' <> '[]'`);
  }
}
