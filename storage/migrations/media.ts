import { Migration } from '@mikro-orm/migrations';

/** An upload claims its attachment, and unused and erased attachments are found by an index. */
export class Media extends Migration {
  override up(): void {
    this.addSql(`alter table attachments add column claimed_at timestamptz(3)`);
    this.addSql(`drop index attachments_pending`);
    this.addSql(`create index attachments_loose on attachments (created_at) where message_id is null`);
    this.addSql(`create index attachments_erased on attachments (attachment_id) where status = 'erased'`);
  }
}
