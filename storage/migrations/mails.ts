import { Migration } from '@mikro-orm/migrations';

/** Mail as rows: sent after the commit that causes it, and again after a crash. */
export class Mails extends Migration {
  override up(): void {
    this.addSql(`create table mails (
      mail_id text collate "C" primary key,
      kind text collate "C" not null,
      recipient text not null,
      secret text,
      attempts int not null default 0,
      next_attempt_at timestamptz(3),
      expires_at timestamptz(3) not null,
      sent_at timestamptz(3),
      last_error text,
      created_at timestamptz(3) not null
    )`);
    this.addSql(`create index mails_due on mails (next_attempt_at) where next_attempt_at is not null`);
    this.addSql(`create index mails_created on mails (created_at)`);
  }
}
