import { Migration } from '@mikro-orm/migrations';

/** The bytes of rows and events that tenants have written, by day (storage/usage/stored-bytes.ts). */
export class StoredBytes extends Migration {
  override up(): void {
    this.addSql(`create table stored_bytes (
      owner text collate "C" not null,
      day date not null,
      bytes bigint not null,
      primary key (owner, day)
    ) with (fillfactor = 70)`);
  }
}
