import { Migration } from '@mikro-orm/migrations';

/**
 * When each version of a loom became the active one, by whom and why. What was before, the audit log knows, apart from what it has
 * forgotten and the reasons: nobody could give one.
 */
export class LoomActivations extends Migration {
  override up(): void {
    this.addSql(`create table loom_activations (
      loom_id text collate "C" not null,
      number integer not null,
      project_id text collate "C" not null,
      environment_id text collate "C" not null,
      loom_version_id text collate "C" not null,
      previous_version_id text collate "C",
      actor jsonb not null,
      reason text,
      created_at timestamptz(3) not null,
      primary key (loom_id, number)
    )`);
    this.addSql(`alter table looms add column last_activation integer not null default 0`);
    this.addSql(`
      with acts as (
        select a.project_id, coalesce(a.details ->> 'loomId', a.target_id) as loom_id,
          coalesce(a.details ->> 'loomVersionId', a.target_id) as loom_version_id,
          jsonb_build_object('type', a.actor_type, 'id', a.actor_id) as actor, a.audit_log_id, a.created_at
        from (select distinct project_id from looms) p
        join audit_logs a on a.project_id = p.project_id
          and a.action in ('loom.created', 'loom_version.created', 'loom_version.activated')
        where a.action <> 'loom_version.created' or a.details ->> 'activated' = 'true'
      ), numbered as (
        select l.loom_id, l.project_id, l.environment_id, v.loom_version_id, a.actor, a.created_at,
          row_number() over of_loom as number, lag(v.loom_version_id) over of_loom as previous_version_id
        from acts a
        join looms l on l.loom_id = a.loom_id and l.project_id = a.project_id
        join loom_versions v on v.loom_version_id = a.loom_version_id and v.loom_id = l.loom_id
        window of_loom as (partition by l.loom_id order by a.audit_log_id)
      ), added as (
        insert into loom_activations (loom_id, number, project_id, environment_id, loom_version_id, previous_version_id, actor, created_at)
        select loom_id, number, project_id, environment_id, loom_version_id, previous_version_id, actor, created_at from numbered
        returning loom_id, number
      )
      update looms l set last_activation = newest.number
      from (select loom_id, max(number) as number from added group by loom_id) newest where newest.loom_id = l.loom_id`);
  }
}
