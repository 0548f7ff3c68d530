import { Migration } from '@mikro-orm/migrations';

/**
 * Entries of the audit log by their target within a workspace and a project: what is done to a user's account is an entry in each workspace
 * of theirs, and a page of one workspace reads none of the others. The index in whose place they are (`audit_logs_target`) is dropped one
 * release later: nodes of before look an entry up by its target alone, at a sign-in with a wrong password.
 */
export class AuditTargets extends Migration {
  override up(): void {
    this.addSql(
      `create index audit_logs_workspace_target on audit_logs (workspace_id, target_id, audit_log_id)`,
    );
    this.addSql(`create index audit_logs_project_target on audit_logs (project_id, target_id, audit_log_id)`);
  }
}
