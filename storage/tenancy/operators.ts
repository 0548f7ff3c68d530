/** Operators who are online, in projects that assign threads to them automatically: see gateway/jobs/assigner.ts. */
import type { ConsoleRole, StudioRole } from '../../protocol/operation.ts';
import type { EnvironmentKind } from '../../protocol/resources/index.ts';
import type { Queries } from '../database/index.ts';

/** A user with a Console stream of the project. */
export interface OnlineOperator {
  readonly projectId: string;
  readonly userId: string;
}

// In the order of the keys, so that two nodes do not wait for each other.
const recordOnline = `
  insert into operators (project_id, user_id, online_until)
  select given.project_id, given.user_id, $3 from unnest($1::text[], $2::text[]) as given(project_id, user_id)
  join projects p on p.project_id = given.project_id and p.assignment_mode = 'roundRobin'
  order by 1, 2
  on conflict (project_id, user_id) do update set online_until = greatest(operators.online_until, excluded.online_until)`;

const recordGone = `
  update operators o set online_until = least(o.online_until, $3)
  from unnest($1::text[], $2::text[]) as given(project_id, user_id)
  where o.project_id = given.project_id and o.user_id = given.user_id`;

/**
 * Notes that the users are online until then, or no longer than that (`gone`). Of projects without automatic assignment nothing is
 * noted.
 */
export async function noteOperators(
  db: Queries,
  operators: readonly OnlineOperator[],
  state: 'online' | 'gone',
  until: Date,
): Promise<void> {
  if (operators.length === 0) return;
  const values = [operators.map(({ projectId }) => projectId), operators.map(({ userId }) => userId), until];
  await db.query(state === 'online' ? recordOnline : recordGone, values, `operators.${state}`);
}

const selectProjects = `
  select distinct o.project_id as "projectId" from operators o join projects p on p.project_id = o.project_id
  where o.online_until > $1 and o.project_id > $2 and p.assignment_mode = 'roundRobin' and p.archived_at is null
    and exists (select from workspaces w where w.workspace_id = p.workspace_id and w.archived_at is null)
  order by 1 limit $3`;

/** Projects with automatic assignment and somebody online, by id, after the given one. */
export async function listAssigningProjects(
  db: Queries,
  now: Date,
  after: string,
  limit: number,
): Promise<string[]> {
  const rows = await db.query<{ projectId: string }>(
    selectProjects,
    [now, after, limit],
    'operators.projects',
  );
  return rows.map(({ projectId }) => projectId);
}

export interface FreeOperator {
  readonly userId: string;
  /** How many more threads they take. */
  readonly room: number;
  /** Whether they may see production. */
  readonly isVerified: boolean;
}

/** Most operators of one project that are looked at. */
const maxOperators = 1_000;

const selectFree = `
  select o.user_id as "userId", p.max_open_threads - held.count as room, u.email_verified_at is not null as "isVerified"
  from operators o
  join projects p on p.project_id = o.project_id
  join users u on u.user_id = o.user_id
  cross join lateral (select count(*)::int as count from (
    select from environments e join threads t on t.project_id = e.project_id and t.environment_id = e.environment_id
    where e.project_id = o.project_id and t.status = 'open' and t.assignee_user_id = o.user_id and t.snoozed_until is null
    limit p.max_open_threads) h) held
  where o.project_id = $1 and o.online_until > $2 and p.assignment_mode = 'roundRobin' and held.count < p.max_open_threads
    and (exists (select from workspace_members m
        where m.workspace_id = p.workspace_id and m.user_id = o.user_id and m.role = any ($3::text[]))
      or exists (select from project_members m
        where m.project_id = o.project_id and m.user_id = o.user_id and m.role = any ($3::text[]))
      or exists (select from console_members m
        where m.project_id = o.project_id and m.user_id = o.user_id and m.role = any ($4::text[])))
  order by o.turn, o.user_id limit ${maxOperators}`;

/** Those who are online, may answer and have room, whoever was given a thread the longest ago first. */
export function listFreeOperators(
  db: Queries,
  projectId: string,
  now: Date,
  roles: { readonly studio: readonly StudioRole[]; readonly console: readonly ConsoleRole[] },
): Promise<FreeOperator[]> {
  return db.query<FreeOperator>(selectFree, [projectId, now, roles.studio, roles.console], 'operators.free');
}

const moveBack = `
  update operators o set turn = (select max(turn) from operators where project_id = $1) + given.n
  from unnest($2::text[]) with ordinality as given(user_id, n)
  where o.project_id = $1 and o.user_id = given.user_id`;

/** These were given threads, in this order: each once, and from now on they come last. */
export async function moveTurns(db: Queries, projectId: string, userIds: readonly string[]): Promise<void> {
  if (userIds.length > 0) await db.query(moveBack, [projectId, userIds], 'operators.turns');
}

/** The environments of a project. */
export function listProjectEnvironments(
  db: Queries,
  projectId: string,
): Promise<{ readonly environmentId: string; readonly kind: EnvironmentKind }[]> {
  return db.query(
    'select environment_id as "environmentId", kind from environments where project_id = $1',
    [projectId],
    'operators.environments',
  );
}
