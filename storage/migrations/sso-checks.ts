import { Migration } from '@mikro-orm/migrations';

/** Proven domains are looked for in DNS every day (storage/sso/domain-checks.ts). */
export class SsoChecks extends Migration {
  override up(): void {
    this.addSql(
      'alter table sso_domains add column checked_at timestamptz(3), add column missing_since timestamptz(3)',
    );
  }
}
