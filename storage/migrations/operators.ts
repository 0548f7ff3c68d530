import { Migration } from '@mikro-orm/migrations';

/** Operators of the Console: how they are shown and what they have set, and the replies that a project keeps ready for them. */
export class Operators extends Migration {
  override up(): void {
    this.addSql(`alter table users add column display_name text, add column avatar_color text,
      add column settings jsonb`);
    this.addSql(`create table canned_replies (
      canned_reply_id text collate "C" primary key,
      project_id text collate "C" not null,
      shortcut text collate "C" not null,
      title text not null,
      body text not null,
      created_by_user_id text collate "C" not null,
      updated_by_user_id text collate "C" not null,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null
    )`);
    this.addSql('create unique index canned_replies_shortcut on canned_replies (project_id, shortcut)');
    this.#replaceLimit();
  }

  /** As in limits.ts, with canned replies. */
  #replaceLimit(): void {
    const byProject = (table: string, condition: string): string =>
      `(select count(*) from ${table} where project_id = owner and ${condition})`;
    const ofWorkspace = `(select sum(t.bytes) from attachment_totals t join projects p on p.project_id = t.project_id
      where p.workspace_id = owner)`;
    this.addSql(`create or replace function skein_limit(name text, most bigint, owner text) returns void language plpgsql volatile as $$
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
