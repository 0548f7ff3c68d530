import { Migration } from '@mikro-orm/migrations';

/** Sessions know by whose identity provider they were opened, and so do logins that wait for their second factor; flows, whose address began them. */
export class SignedOnSessions extends Migration {
  override up(): void {
    this.addSql(`alter table sessions add column signed_on_by text collate "C"`);
    this.addSql(`alter table login_challenges add column signed_on_by text collate "C"`);
    this.addSql(`alter table sso_flows add column user_id text collate "C"`);
  }
}
