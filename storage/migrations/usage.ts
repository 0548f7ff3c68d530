import { Migration } from '@mikro-orm/migrations';

/** What each environment used on each day of UTC, and up to which event each project has been counted. */
export class Usage extends Migration {
  override up(): void {
    this.addSql(`create table usage_days (
      project_id text collate "C" not null,
      environment_id text collate "C" not null,
      day date not null,
      messages_inbound bigint not null default 0,
      messages_outbound bigint not null default 0,
      primary key (project_id, environment_id, day)
    )`);
    this.addSql(`create table usage_marks (
      project_id text collate "C" primary key,
      seq bigint not null
    )`);
  }
}
