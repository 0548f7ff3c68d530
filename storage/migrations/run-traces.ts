import { Migration } from '@mikro-orm/migrations';

/** Finds the runs whose traces have had their time (storage/trace-sweep.ts). */
export class RunTraces extends Migration {
  override up(): void {
    this.addSql(
      `create index agent_runs_traced on agent_runs (completed_at) where completed_at is not null and state <> '{}'`,
    );
  }
}
