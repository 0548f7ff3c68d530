import { Migration } from '@mikro-orm/migrations';

/** Finds the runs whose traces are to be emptied (storage/retention/sweep.ts). */
export class RunTraces extends Migration {
  override up(): void {
    this.addSql(
      `create index agent_runs_traced on agent_runs (completed_at) where completed_at is not null and state <> '{}'`,
    );
  }
}
