import { Migration } from '@mikro-orm/migrations';

/** Agents that name a loom of another environment name none: it could be given to an agent that was archived by the same request. */
export class OwnLooms extends Migration {
  override up(): void {
    this.addSql(`update agents a set loom_id = null where loom_id is not null and not exists (
      select from looms l where l.loom_id = a.loom_id and l.project_id = a.project_id and l.environment_id = a.environment_id)`);
  }
}
