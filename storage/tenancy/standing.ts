/**
 * Whether credentials and memberships that were checked once still stand: asked for all open Console sockets of a node at
 * once, since a socket outlives the request that opened it.
 */
import type { Database } from '../database.ts';

/** What is asked about. */
export interface Standing {
  readonly sessionIds: readonly string[];
  readonly apiKeyIds: readonly string[];
  readonly members: readonly { readonly projectId: string; readonly userId: string }[];
}

/** What of it has fallen: ids of sessions and keys, and members as `<projectId> <userId>`. */
export type Fallen = ReadonlySet<string>;

/** How a member is named in {@link Fallen}. */
export function memberName(projectId: string, userId: string): string {
  return `${projectId} ${userId}`;
}

const selectFallen = `
  select id as name from unnest($1::text[]) as asked(id) where not exists (
    select from sessions where session_id = id and revoked_at is null and expires_at > $5 and idle_expires_at > $5)
  union all
  select id from unnest($2::text[]) as asked(id) where not exists (
    select from api_keys where api_key_id = id and status <> 'revoked' and coalesce(least(expires_at, rotation_grace_expires_at) > $5, true))
  union all
  select project || ' ' || member from unnest($3::text[], $4::text[]) as asked(project, member) where not exists (
    select from console_members where project_id = project and user_id = member)`;

/** @param now epoch milliseconds. */
export async function fallen(db: Pick<Database, 'query'>, asked: Standing, now: number): Promise<Fallen> {
  const { sessionIds, apiKeyIds, members } = asked;
  const rows = await db.query<{ name: string }>(
    selectFallen,
    [sessionIds, apiKeyIds, members.map(m => m.projectId), members.map(m => m.userId), new Date(now)],
    'standing.fallen',
  );
  return new Set(rows.map(row => row.name));
}
