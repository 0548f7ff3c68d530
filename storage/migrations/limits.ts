import { Migration } from '@mikro-orm/migrations';

/**
 * How much a tenant may have (storage/writes/limits.ts): the function that counts, and the bytes of files by environment, which triggers
 * keep, because adding up a million rows for each new file would not do.
 */
export class Limits extends Migration {
  override up(): void {
    this.addSql(`create table attachment_totals (
      project_id text collate "C" not null,
      environment_id text collate "C" not null,
      announced_bytes bigint not null,
      bytes bigint not null,
      primary key (project_id, environment_id)
    )`);
    this.#addTriggers();
    this.addSql(`insert into attachment_totals (project_id, environment_id, announced_bytes, bytes)
      select project_id, environment_id, coalesce(sum(size_bytes) filter (where status = 'pending'), 0), sum(size_bytes)
      from attachments where status <> 'erased' group by 1, 2`);
    this.#addLimit();
  }

  /** One for each verb, since a transition table is there only where the verb has it. Nothing is locked where nothing changes. */
  #addTriggers(): void {
    const added = { table: 'added', rows: 'new', sign: '1' };
    const gone = { table: 'gone', rows: 'old', sign: '-1' };
    for (const [verb, tables] of Object.entries({ insert: [added], update: [added, gone], delete: [gone] })) {
      const changed = tables.map(({ table, sign }) => `select ${sign} as sign, ${table}.* from ${table}`);
      const announced = `coalesce(sum(sign * size_bytes) filter (where status = 'pending'), 0)`;
      this.addSql(`create function skein_total_attachments_${verb}() returns trigger language plpgsql as $$
        begin
          insert into attachment_totals as t (project_id, environment_id, announced_bytes, bytes)
          select project_id, environment_id, ${announced}, sum(sign * size_bytes)
          from (${changed.join(' union all ')}) as changed
          where status <> 'erased' group by 1, 2
          having sum(sign * size_bytes) <> 0 or ${announced} <> 0
          order by 1, 2
          on conflict (project_id, environment_id) do update
            set announced_bytes = t.announced_bytes + excluded.announced_bytes, bytes = t.bytes + excluded.bytes;
          return null;
        end
        $$`);
      const referencing = tables.map(({ table, rows }) => `${rows} table as ${table}`);
      this.addSql(`create trigger total_attachments_${verb} after ${verb} on attachments referencing ${referencing.join(' ')}
        for each statement execute function skein_total_attachments_${verb}()`);
    }
  }

  /**
   * Refuses the transaction, as skein_fence does, where the owner has more than the limit allows. To be called after the rows were written.
   * The lock lasts to the end of the transaction: of two that would both be the last, one waits, and then counts the other's row, because a
   * volatile function sees with each of its statements what was committed before it.
   */
  #addLimit(): void {
    const byProject = (table: string, condition: string): string =>
      `(select count(*) from ${table} where project_id = owner and ${condition})`;
    const ofWorkspace = `(select sum(t.bytes) from attachment_totals t join projects p on p.project_id = t.project_id
      where p.workspace_id = owner)`;
    this.addSql(`create function skein_limit(name text, most bigint, owner text) returns void language plpgsql volatile as $$
      declare present bigint;
      begin
        perform pg_advisory_xact_lock(hashtextextended('limit/' || name || '/' || owner, 0));
        case name
          when 'apiKeys' then present := ${byProject('api_keys', `status <> 'revoked'`)};
          when 'stitches' then present := ${byProject('stitches', 'archived_at is null')};
          when 'tools' then present := ${byProject('tools', 'true')};
          when 'looms' then present := ${byProject('looms', 'archived_at is null')};
          when 'agents' then present := ${byProject('agents', 'archived_at is null')};
          when 'channels' then present := ${byProject('channels', 'true')};
          when 'projects' then present := (select count(*) from projects where workspace_id = owner and archived_at is null);
          when 'workspaces' then present := (select count(*) from workspace_members m
            join workspaces w on w.workspace_id = m.workspace_id
            where m.user_id = owner and m.role = 'owner' and w.archived_at is null);
          when 'announcedBytes' then
            present := (select sum(announced_bytes) from attachment_totals where environment_id = owner);
          when 'environmentBytes' then present := (select sum(bytes) from attachment_totals where environment_id = owner);
          when 'workspaceBytes' then present := ${ofWorkspace};
          when 'unverifiedBytes' then present := ${ofWorkspace};
        end case;
        if present > most then
          perform skein_fence('limit', array[name || '/' || most || '/' || owner]);
        end if;
      end
      $$`);
  }
}
