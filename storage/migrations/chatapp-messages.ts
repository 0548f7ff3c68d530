import { Migration } from '@mikro-orm/migrations';

/**
 * Conversations of chatapp channels: what a message holds beside its text, who its participant is, what has to leave for the provider, and
 * the files that have to come from it.
 */
export class ChatappMessages extends Migration {
  override up(): void {
    this.addSql(`alter table messages add details jsonb, add failure jsonb`);
    this.addSql(`alter table threads add participant jsonb`);
    this.#addAliases();
    this.#addSends();
    this.#addFiles();
  }

  /** The other names by which the provider calls a participant: a phone number, the id of a user who hides it. */
  #addAliases(): void {
    this.addSql(`create table chatapp_aliases (
      channel_id text collate "C" not null,
      alias text collate "C" not null,
      project_id text collate "C" not null,
      environment_id text collate "C" not null,
      thread_id text collate "C" not null,
      external_ref text collate "C" not null,
      created_at timestamptz(3) not null,
      primary key (channel_id, alias)
    )`);
    this.addSql(`create index chatapp_aliases_thread on chatapp_aliases (thread_id)`);
  }

  /** The messages that the provider has yet to take: storage/chatapp/sends.ts. */
  #addSends(): void {
    this.addSql(`create table chatapp_sends (
      message_id text collate "C" primary key,
      project_id text collate "C" not null,
      environment_id text collate "C" not null,
      channel_id text collate "C" not null,
      thread_id text collate "C" not null,
      sequence bigint not null,
      status text not null check (status in ('queued', 'sending', 'unknown')),
      created_at timestamptz(3) not null,
      next_at timestamptz(3) not null,
      started_at timestamptz(3),
      attempts integer not null default 0,
      error jsonb
    )`);
    this.addSql(`create index chatapp_sends_due on chatapp_sends (channel_id, next_at)`);
    this.addSql(`create index chatapp_sends_thread on chatapp_sends (thread_id, sequence)`);
  }

  /** Files that the provider has, and those of ours that it has taken. */
  #addFiles(): void {
    this.addSql(`create table chatapp_files (
      attachment_id text collate "C" primary key,
      project_id text collate "C" not null,
      environment_id text collate "C" not null,
      channel_id text collate "C" not null,
      thread_id text collate "C" not null,
      message_id text collate "C" not null,
      provider_media_id text not null,
      mime_type text not null,
      filename text,
      sha256 text,
      created_at timestamptz(3) not null,
      next_at timestamptz(3) not null,
      attempts integer not null default 0
    )`);
    this.addSql(`create index chatapp_files_due on chatapp_files (channel_id, next_at)`);
    this.addSql(`create index chatapp_files_thread on chatapp_files (thread_id)`);
    this.addSql(`create table chatapp_uploads (
      phone_number_id text collate "C" not null,
      attachment_id text collate "C" not null,
      provider_media_id text not null,
      expires_at timestamptz(3) not null,
      primary key (phone_number_id, attachment_id)
    )`);
    this.addSql(`create index chatapp_uploads_expired on chatapp_uploads (expires_at)`);
  }
}
