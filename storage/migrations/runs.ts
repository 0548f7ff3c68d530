import { Migration } from '@mikro-orm/migrations';

/**
 * Tools whose calls wait for a person; what runs have used beyond their own rows; the runs without a thread, which sandboxes forget too
 * (storage/retention/sandbox-threads.ts).
 */
export class Runs extends Migration {
  override up(): void {
    this.addSql(`alter table tools add column requires_approval boolean not null default false`);
    this.addSql(`create table usage_runs (
      project_id text collate "C" not null,
      environment_id text collate "C" not null,
      day date not null,
      agent_id text collate "C" not null,
      model text not null,
      provider text not null,
      runs bigint not null,
      tool_calls bigint not null,
      prompt_tokens bigint not null,
      completion_tokens bigint not null,
      total_tokens bigint not null,
      cost_micros bigint not null,
      primary key (project_id, environment_id, day, agent_id, model, provider)
    )`);
    this.addSql(
      `create index agent_runs_alone on agent_runs (project_id, environment_id, completed_at) where thread_id is null`,
    );
  }
}
