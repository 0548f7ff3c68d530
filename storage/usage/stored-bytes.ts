/**
 * The bytes of rows and events that were written in the last 30 days (UTC), of each project, each workspace, and each user, who pays for
 * the workspaces that they have owned the longest. Nodes count in memory and add from time to time (gateway/quota/storage-quota.ts).
 */
import type { Queries } from '../database/index.ts';

/** Days that count: events are kept for as long. */
export const storedDays = 30;

// A workspace has one payer, or a second owner would multiply what a user may have.
const owners = `
  select s.project_id, s.bytes, p.workspace_id, (
    select m.user_id from workspace_members m where m.workspace_id = p.workspace_id and m.role = 'owner'
    order by m.created_at, m.user_id limit 1) as user_id
  from unnest($1::text[], $2::bigint[]) as s(project_id, bytes) join projects p on p.project_id = s.project_id`;

const add = `
  insert into stored_bytes as b (owner, day, bytes)
  select owner, (now() at time zone 'UTC')::date, sum(bytes)
  from (${owners}) o cross join lateral (values (project_id), (workspace_id), (user_id)) each(owner)
  where owner is not null and bytes > 0 group by owner order by owner
  on conflict (owner, day) do update set bytes = b.bytes + excluded.bytes`;

const total = (owner: string): string => `(
  select coalesce(sum(b.bytes), 0)::float8 from stored_bytes b
  where b.owner = ${owner} and b.day > (now() at time zone 'UTC')::date - ${storedDays})`;

const read = `
  select project_id as "projectId", workspace_id as "workspaceId", user_id as "userId", exists (
      select from workspace_members m join users u on u.user_id = m.user_id
      where m.workspace_id = o.workspace_id and m.role = 'owner' and u.email_verified_at is not null) as "isVerified",
    ${total('o.project_id')} as "ofProject", ${total('o.workspace_id')} as "ofWorkspace", ${total('o.user_id')} as "ofUser"
  from (${owners}) o`;

/** What is stored of a project, and of those above it. */
export interface StoredBytes {
  readonly projectId: string;
  readonly workspaceId: string;
  /** Null: the workspace has no owner. */
  readonly userId: string | null;
  /** Whether an owner of the workspace has a verified address. */
  readonly isVerified: boolean;
  readonly ofProject: number;
  readonly ofWorkspace: number;
  readonly ofUser: number;
}

/** Adds the bytes of these projects. Rejects where the database fails: then nothing was added, or the answer was lost. */
export async function addStoredBytes(db: Queries, spent: ReadonlyMap<string, number>): Promise<void> {
  await db.query(add, [[...spent.keys()], [...spent.values()]], 'stored_bytes.add');
}

/** Projects that do not exist are left out. */
export function readStoredBytes(db: Queries, projectIds: readonly string[]): Promise<StoredBytes[]> {
  return db.query<StoredBytes>(read, [projectIds, projectIds.map(() => 0)], 'stored_bytes.read');
}
