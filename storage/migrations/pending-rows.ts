import { Migration } from '@mikro-orm/migrations';

/**
 * Finds the deliveries that wait for their first attempt, and no retries. Only replays and tests have a row before that attempt, so that no
 * other delivery is ever in this index.
 */
export class PendingRows extends Migration {
  override up(): void {
    this.addSql(
      `create index webhook_deliveries_pending on webhook_deliveries (stitch_id, event_seq) where status = 'pending'`,
    );
  }
}
