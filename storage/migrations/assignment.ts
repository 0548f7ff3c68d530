import { Migration } from '@mikro-orm/migrations';

/**
 * Automatic assignment: what a project wants, and who is online. The operators of projects that do not want it have no row. What of a turn or of
 * an hour online is lost is made again, but a row is not much, so the table is one as any other.
 */
export class Assignment extends Migration {
  override up(): void {
    this.addSql(`alter table projects
      add column assignment_mode text not null default 'off' check (assignment_mode in ('off', 'roundRobin')),
      add column max_open_threads int not null default 20`);
    this.addSql(`create table operators (
      project_id text collate "C" not null,
      user_id text collate "C" not null,
      online_until timestamptz(3) not null,
      turn int not null default 0,
      primary key (project_id, user_id)
    )`);
    this.addSql(`create index operators_online on operators (online_until)`);
  }
}
