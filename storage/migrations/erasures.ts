import { Migration } from '@mikro-orm/migrations';

/** Personal data that is to be erased: requested in the thread's commit, erased batch by batch after it. */
export class Erasures extends Migration {
  override up(): void {
    this.addSql(`create table erasures (
      thread_id text collate "C" primary key,
      project_id text collate "C" not null,
      environment_id text collate "C" not null,
      through bigint not null,
      requested_at timestamptz(3) not null
    )`);
    this.addSql(
      `create index api_keys_rotating on api_keys (rotation_grace_expires_at) where status = 'rotating'`,
    );
  }
}
