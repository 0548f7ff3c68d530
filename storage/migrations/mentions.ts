import { Migration } from '@mikro-orm/migrations';

/** Whom notes mention, and what of it each has read. */
export class Mentions extends Migration {
  override up(): void {
    this.addSql(`alter table thread_notes add column mentions text[] not null default '{}'`);
    this.addSql(`create table note_mentions (
      thread_note_id text collate "C" not null,
      user_id text collate "C" not null,
      project_id text collate "C" not null,
      environment_id text collate "C" not null,
      thread_id text collate "C" not null,
      mentioned_at timestamptz(3) not null,
      read_at timestamptz(3),
      primary key (thread_note_id, user_id)
    )`);
    this.addSql(`create index note_mentions_listed on note_mentions
      (user_id, project_id, environment_id, mentioned_at, thread_note_id)`);
    this.addSql(`create index note_mentions_unread on note_mentions
      (user_id, project_id, environment_id, mentioned_at, thread_note_id) where read_at is null`);
    this.addSql(`create index note_mentions_thread on note_mentions (thread_id)`);
  }
}
