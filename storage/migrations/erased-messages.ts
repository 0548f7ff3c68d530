import { Migration } from '@mikro-orm/migrations';

/** Keyed hashes of the provider's ids of erased messages (storage/chatapp/erased-messages.ts). */
export class ErasedMessages extends Migration {
  override up(): void {
    this.addSql(`create table erased_messages (
      channel_id text collate "C" not null,
      id_hash bytea not null,
      project_id text collate "C" not null,
      environment_id text collate "C" not null,
      erased_at timestamptz(3) not null,
      primary key (channel_id, id_hash)
    )`);
    this.addSql(`create index erased_messages_by_age on erased_messages (erased_at)`);
  }
}
