import { Migration } from '@mikro-orm/migrations';

/** Periodic work is found by when it is due instead of by reading all rows, and what an erasure has to reach is found by an index. */
export class DueWork extends Migration {
  override up(): void {
    this.addSql(`alter table erasures add column due_at timestamptz(3)`);
    this.addSql(`update erasures set due_at = requested_at`);
    this.addSql(`alter table erasures alter column due_at set not null`);
    this.addSql(`alter table erasures add column attempts int not null default 0`);
    this.addSql(`alter table erasures add column last_error text`);
    this.addSql(`create index erasures_due on erasures (due_at)`);

    // The thread that a kept answer shows. Answers are JSON without spaces, and a quote inside a text is escaped.
    this.addSql(`create function skein_thread_of(answer text) returns text language sql immutable strict parallel safe as $$
      select substring(answer from '"threadId":"(thread_[0-9a-z]{26})"')
    $$`);
    this.addSql(
      `create index idempotency_keys_thread on idempotency_keys (skein_thread_of(body)) where body is not null`,
    );
    this.addSql(
      `create index webhook_deliveries_replayed on webhook_deliveries (event_id) where trigger <> 'scheduled'`,
    );

    this.addSql(`alter table project_streams add column uncounted boolean not null default false`);
    this.addSql(`update project_streams set uncounted = true where last_seq > 0`);
    this.addSql(`create index project_streams_uncounted on project_streams (project_id) where uncounted`);

    this.addSql(`alter table environments add column rests_until timestamptz(3) not null default now()`);
    this.addSql(`create index environments_resting on environments (rests_until) where kind = 'sandbox'`);

    this.addSql(`create index invitations_ended on invitations (least(accepted_at, revoked_at, expires_at))`);

    this.addSql(
      `create index audit_logs_workspace_action on audit_logs (workspace_id, action, audit_log_id)`,
    );
    this.addSql(
      `create index audit_logs_workspace_actor on audit_logs (workspace_id, actor_id, audit_log_id)`,
    );
    this.addSql(`create index audit_logs_project_action on audit_logs (project_id, action, audit_log_id)`);
    this.addSql(`create index audit_logs_project_actor on audit_logs (project_id, actor_id, audit_log_id)`);
    this.addSql(
      `create index audit_logs_target on audit_logs (target_id, audit_log_id) where target_id is not null`,
    );
  }
}
