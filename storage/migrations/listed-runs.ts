import { Migration } from '@mikro-orm/migrations';

/** The runs of an agent are found by whose they are. Which agent that is never changes, so the updates of a run stay on its page (HOT). */
export class ListedRuns extends Migration {
  override up(): void {
    this.addSql(
      `create index agent_runs_agent on agent_runs (agent_id, created_at, agent_run_id) where agent_id is not null`,
    );
  }
}
