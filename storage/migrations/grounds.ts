import { Migration } from '@mikro-orm/migrations';

/** A kept answer says by what right it was given, where only the operation itself could tell. */
export class Grounds extends Migration {
  override up(): void {
    this.addSql('alter table idempotency_keys add column grounds jsonb');
  }
}
