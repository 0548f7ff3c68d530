/**
 * Whether sessions, API keys and memberships that were checked once are still valid: asked for all open Console sockets of a node
 * at once, since a socket outlives the request that opened it.
 */
import type { Queries } from '../database/index.ts';

export interface CheckedCredentials {
  readonly sessionIds: readonly string[];
  readonly apiKeyIds: readonly string[];
  readonly members: readonly { readonly projectId: string; readonly userId: string }[];
}

/** Those that are not valid any more: ids of sessions and keys, and members as `<projectId> <userId>`. */
export type RevokedCredentials = ReadonlySet<string>;

/** The key of a member in {@link RevokedCredentials}. */
export function toMemberKey(projectId: string, userId: string): string {
  return `${projectId} ${userId}`;
}

const selectRevoked = `
  select id as name from unnest($1::text[]) as asked(id) where not exists (
    select from sessions where session_id = id and revoked_at is null and expires_at > $5 and idle_expires_at > $5)
  union all
  select id from unnest($2::text[]) as asked(id) where not exists (
    select from api_keys where api_key_id = id and status <> 'revoked' and coalesce(least(expires_at, rotation_grace_expires_at) > $5, true))
  union all
  select project || ' ' || member from unnest($3::text[], $4::text[]) as asked(project, member) where not exists (
    select from console_members where project_id = project and user_id = member)`;

/** @param now epoch milliseconds. */
export async function findRevokedCredentials(
  db: Queries,
  asked: CheckedCredentials,
  now: number,
): Promise<RevokedCredentials> {
  const { sessionIds, apiKeyIds, members } = asked;
  const rows = await db.query<{ name: string }>(
    selectRevoked,
    [sessionIds, apiKeyIds, members.map(m => m.projectId), members.map(m => m.userId), new Date(now)],
    'credentials.revoked',
  );
  return new Set(rows.map(row => row.name));
}
