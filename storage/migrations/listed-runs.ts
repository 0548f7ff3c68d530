import { Migration } from '@mikro-orm/migrations';

/**
 * The runs of an agent and of a thread are found within their environment, so that a list reads no foreign rows. A run never changes its
 * agent or thread, so its updates stay on its page (HOT).
 */
export class ListedRuns extends Migration {
  override up(): void {
    this.addSql(`drop index agent_runs_thread`);
    this.addSql(`create index agent_runs_thread
      on agent_runs (project_id, environment_id, thread_id, created_at, agent_run_id) where thread_id is not null`);
    this.addSql(`create index agent_runs_agent
      on agent_runs (project_id, environment_id, agent_id, created_at, agent_run_id) where agent_id is not null`);
  }
}
