import { Migration } from '@mikro-orm/migrations';

/** What agents work with: sealed headers and signing secrets of tools, keys in their grace, budgets. */
export class Agents extends Migration {
  override up(): void {
    this.addSql(`alter table tools add sealed_headers text, add signing_secret text not null`);
    this.addSql(`alter table byok_credentials add previous_secret text`);
    this.addSql(`alter table agents alter mode drop not null`);
    this.addSql(`create table budgets (
      project_id text collate "C" not null,
      environment_id text collate "C" not null,
      per_run_micros bigint,
      per_thread_micros bigint,
      per_project_day_micros bigint,
      falls_to text not null check (falls_to in ('suggest', 'paused')),
      updated_at timestamptz(3) not null,
      primary key (project_id, environment_id)
    )`);
  }
}
