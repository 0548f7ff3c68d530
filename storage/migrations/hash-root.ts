import { Migration } from '@mikro-orm/migrations';

/** The root of the keyed hashes, sealed: with it, every secret key can be retired (storage/secrets/hash-root.ts). */
export class HashRoot extends Migration {
  override up(): void {
    this.addSql(`create table hash_root (
      id int primary key,
      sealed text not null,
      created_at timestamptz(3) not null
    )`);
  }
}
