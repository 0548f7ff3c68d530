import { Migration } from '@mikro-orm/migrations';

/** Audit entries get ids like everything else, and the environment of the change. No release has written any before. */
export class Audit extends Migration {
  override up(): void {
    this.addSql(`drop table audit_logs`);
    this.addSql(`create table audit_logs (
      audit_log_id text collate "C" primary key,
      workspace_id text collate "C",
      project_id text collate "C",
      environment_id text collate "C",
      actor_type text not null check (actor_type in ('user', 'api_key', 'system')),
      actor_id text collate "C" not null,
      action text collate "C" not null,
      target_id text collate "C",
      request_id text collate "C",
      address text,
      details jsonb not null default '{}',
      created_at timestamptz(3) not null
    )`);
    this.addSql(`create index audit_logs_workspace on audit_logs (workspace_id, audit_log_id)`);
    this.addSql(`create index audit_logs_project on audit_logs (project_id, audit_log_id)`);
    this.addSql(`create index audit_logs_created on audit_logs (created_at)`);
  }
}
