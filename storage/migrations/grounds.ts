import { Migration } from '@mikro-orm/migrations';

/** A kept answer names the scope that its caller had to have access to, where only the operation itself could know it. */
export class Grounds extends Migration {
  override up(): void {
    this.addSql('alter table idempotency_keys add column grounds jsonb');
  }
}
