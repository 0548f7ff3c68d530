import { Migration } from '@mikro-orm/migrations';

/** A tool's signing secret rotates: the former ones sign too for a while. */
export class ToolSecrets extends Migration {
  override up(): void {
    this.addSql(`alter table tools add column former_secrets jsonb not null default '[]'`);
    this.addSql(`create index tools_rotating on tools (tool_id) where former_secrets <> '[]'`);
  }
}
