import { Migration } from '@mikro-orm/migrations';

/** Some of an agent's threads are answered by another version of its loom, and what became of its suggestions is counted by version. */
export class AgentSplits extends Migration {
  override up(): void {
    this.addSql(`alter table agents
      add column split_id text collate "C",
      add column split_version_id text collate "C",
      add column split_percent integer,
      add column split_activation integer,
      add column split_at timestamptz(3)`);
    this.addSql(`create index agent_runs_suggestions on agent_runs
      (project_id, environment_id, agent_id, created_at, loom_version_id, suggestion_status) where suggestion_status is not null`);
  }
}
