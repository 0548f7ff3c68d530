import { Migration } from '@mikro-orm/migrations';

/** How far each user has read each thread. */
export class ReadCursors extends Migration {
  override up(): void {
    this.addSql(`create table read_cursors (
      thread_id text collate "C" not null,
      user_id text collate "C" not null,
      project_id text collate "C" not null,
      environment_id text collate "C" not null,
      sequence bigint not null,
      updated_at timestamptz(3) not null,
      primary key (thread_id, user_id)
    )`);
  }
}
