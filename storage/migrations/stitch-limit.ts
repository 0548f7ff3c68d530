import { Migration } from '@mikro-orm/migrations';

/** The limit of stitches is one of an environment. Nodes from before name the project, whose stitches are counted for them as ever. */
export class StitchLimit extends Migration {
  override up(): void {
    this.addSql('create index stitches_environment on stitches (environment_id) where archived_at is null');
    const byProject = (table: string, condition: string): string =>
      `(select count(*) from ${table} where project_id = owner and ${condition})`;
    const ofWorkspace = `(select sum(t.bytes) from attachment_totals t join projects p on p.project_id = t.project_id
      where p.workspace_id = owner)`;
    // As in operators.ts but for the stitches.
    this.addSql(`create or replace function skein_limit(name text, most bigint, owner text) returns void language plpgsql volatile as $$
      declare present bigint;
      begin
        perform pg_advisory_xact_lock(hashtextextended('limit/' || name || '/' || owner, 0));
        case name
          when 'apiKeys' then present := ${byProject('api_keys', `status <> 'revoked'`)};
          when 'stitches' then present :=
            (select count(*) from stitches where (project_id = owner or environment_id = owner) and archived_at is null);
          when 'tools' then present := ${byProject('tools', 'true')};
          when 'looms' then present := ${byProject('looms', 'archived_at is null')};
          when 'agents' then present := ${byProject('agents', 'archived_at is null')};
          when 'channels' then present := ${byProject('channels', 'true')};
          when 'cannedReplies' then present := ${byProject('canned_replies', 'true')};
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
