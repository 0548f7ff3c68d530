import { Migration } from '@mikro-orm/migrations';

/**
 * Says of each stitch whether it had scheduled deliveries with a row before their first attempt: from before 0039-log-takeover, since which the
 * table refuses them. To look for them whenever a stitch is loaded was to read all its replays that wait.
 */
export class OldRows extends Migration {
  override up(): void {
    this.addSql(`alter table stitches add column has_old_rows boolean not null default false`);
    this.addSql(`update stitches set has_old_rows = true where stitch_id in (
      select stitch_id from webhook_deliveries where status = 'pending' and trigger = 'scheduled')`);
  }
}
