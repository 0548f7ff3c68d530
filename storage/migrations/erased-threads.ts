import { Migration } from '@mikro-orm/migrations';

/** Threads that were erased before they kept when: the audit log has it, for 400 days. */
export class ErasedThreads extends Migration {
  override up(): void {
    this.addSql(`update threads t
      set state = t.state || jsonb_build_object('erased', to_char(a.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
      from (
        select target_id, project_id, max(created_at) as at from audit_logs
        where action = 'thread.personal_data_erased' group by target_id, project_id
      ) a
      where t.thread_id = a.target_id and t.project_id = a.project_id`);
  }
}
