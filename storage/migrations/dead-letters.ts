import { Migration } from '@mikro-orm/migrations';

/** Finds the deliveries of a stitch that have failed for good, and the stitches that have any. No delivery that goes out is in it. */
export class DeadLetters extends Migration {
  override up(): void {
    this.addSql(`create index webhook_deliveries_failed on webhook_deliveries (project_id, environment_id, stitch_id, created_at, event_seq)
      where status = 'failed'`);
  }
}
