import { Migration } from '@mikro-orm/migrations';

/**
 * The words of messages, and of participants under the sequence 0 (storage/search). They are taken from the event log, so that after an
 * upgrade the messages of its 30 days are found.
 */
export class Search extends Migration {
  override up(): void {
    this.addSql(`create table message_words (
      thread_id text collate "C" not null,
      sequence bigint not null,
      project_id text collate "C" not null,
      environment_id text collate "C" not null,
      seq bigint not null,
      at timestamptz(3) not null,
      words tsvector not null,
      primary key (thread_id, sequence)
    )`);
    this.addSql(`create index message_words_newest on message_words (project_id, environment_id, seq)`);
    // Two, because a word of most messages is in few names: one index would be read through to find those.
    this.addSql(`create index message_words_found on message_words using gin (words) where sequence > 0`);
    this.addSql(`create index message_words_named on message_words using gin (words) where sequence = 0`);
    this.addSql(`create table search_marks (
      project_id text collate "C" primary key,
      seq bigint not null
    )`);
  }
}
