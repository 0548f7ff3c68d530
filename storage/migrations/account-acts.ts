import { Migration } from '@mikro-orm/migrations';

/** What members did to their own accounts stood in the log of each of their workspaces with their address and the name of their browser. */
export class AccountActs extends Migration {
  override up(): void {
    this.addSql(`update audit_logs set address = null, details = details - 'userAgent'
      where workspace_id is not null and project_id is null and (action like 'user.%' or action like 'session.%')`);
  }
}
