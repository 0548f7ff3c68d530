/**
 * Whether sessions, API keys and memberships that were checked once are still valid: asked for all open Console sockets of a node
 * at once, since a socket outlives the request that opened it.
 */
import type { ProjectAccess } from './access-cache.ts';
import type { Queries } from '../database/index.ts';
import { selectHasSecondFactor } from '../entities/index.ts';

export interface CheckedCredentials {
  readonly sessionIds: readonly string[];
  readonly apiKeyIds: readonly string[];
  readonly members: readonly CheckedMember[];
}

export interface CheckedMember {
  readonly projectId: string;
  readonly userId: string;
  /** The roles that were found, by {@link toRolesKey}. */
  readonly roles: string;
}

/** Those that are not valid any more: ids of sessions and keys, and members by {@link toMemberKey} or {@link toChangedKey}. */
export type RevokedCredentials = ReadonlySet<string>;

/** In {@link RevokedCredentials}: no member any more. */
export function toMemberKey(projectId: string, userId: string): string {
  return `${projectId} ${userId}`;
}

/** In {@link RevokedCredentials}: a member still, with other roles than these. */
export function toChangedKey({ projectId, userId, roles }: CheckedMember): string {
  return `${projectId} ${userId} ${roles}`;
}

/** A user's roles as one text, to be compared: in the workspace, the project and its Console. */
export function toRolesKey(
  access: Pick<ProjectAccess, 'workspaceRole' | 'projectRole' | 'consoleRole'>,
): string {
  return [access.workspaceRole, access.projectRole, access.consoleRole].map(role => role ?? '').join('/');
}

const selectRevoked = `
  select id as name from unnest($1::text[]) as asked(id) where not exists (
    select from sessions where session_id = id and revoked_at is null and expires_at > $5 and idle_expires_at > $5)
  union all
  select id from unnest($2::text[]) as asked(id) where not exists (
    select from api_keys k left join projects p on p.project_id = k.project_id left join workspaces w on w.workspace_id = p.workspace_id
    where k.api_key_id = id and k.status <> 'revoked' and coalesce(least(k.expires_at, k.rotation_grace_expires_at) > $5, true)
      and p.archived_at is null and w.archived_at is null)
  union all
  select case when cm.role is null then project || ' ' || member else project || ' ' || member || ' ' || roles end
  from unnest($3::text[], $4::text[], $6::text[]) as asked(project, member, roles)
  left join projects p on p.project_id = project
  left join workspace_members wm on wm.workspace_id = p.workspace_id and wm.user_id = member
  left join project_members pm on pm.project_id = project and pm.user_id = member
  left join console_members cm on cm.project_id = project and cm.user_id = member
  left join workspaces dw on dw.workspace_id = p.workspace_id
  where cm.role is null or roles <> concat(wm.role, '/', pm.role, '/', cm.role)
    or (dw.requires_second_factor and not ${selectHasSecondFactor('member')})`;

/** @param now epoch milliseconds. */
export async function findRevokedCredentials(
  db: Queries,
  asked: CheckedCredentials,
  now: number,
): Promise<RevokedCredentials> {
  const { sessionIds, apiKeyIds, members } = asked;
  const rows = await db.query<{ name: string }>(
    selectRevoked,
    [
      sessionIds,
      apiKeyIds,
      members.map(m => m.projectId),
      members.map(m => m.userId),
      new Date(now),
      members.map(m => m.roles),
    ],
    'credentials.revoked',
  );
  return new Set(rows.map(row => row.name));
}
