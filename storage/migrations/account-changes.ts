import { Migration } from '@mikro-orm/migrations';

/** Users change their e-mail address, and delete their accounts. */
export class AccountChanges extends Migration {
  override up(): void {
    this.addSql(`alter table users add column deleted_at timestamptz(3)`);
    this.addSql(`alter table email_tokens drop constraint email_tokens_purpose_check`);
    this.addSql(
      `alter table email_tokens add constraint email_tokens_purpose_check check (purpose in ('verify', 'reset', 'change'))`,
    );
  }
}
