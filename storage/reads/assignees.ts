/** The users that threads are assigned to. */
import type { ConsoleRole, StudioRole } from '../../protocol/operation.ts';
import type { Queries, TenantScope } from '../database/index.ts';
import type { ThreadKey } from './threads.ts';

/** A user who is assigned to threads of an environment. */
export interface Assignee extends TenantScope {
  readonly userId: string;
}

export interface FoundAssignee extends Assignee {
  /** Whether the user has none of the roles any more. */
  readonly hasLostAccess: boolean;
}

/** The roles that may answer in threads. */
export interface AnsweringRoles {
  readonly studio: readonly StudioRole[];
  readonly console: readonly ConsoleRole[];
}

// A loose scan of the index threads_by_assignee: it reads as many rows as there are assignees, not threads.
const selectAssignees = `
  with recursive assignees as (
    (select project_id, environment_id, assignee_user_id as user_id from threads
     where assignee_user_id is not null and (project_id, environment_id, assignee_user_id) > ($1, $2, $3)
     order by project_id, environment_id, assignee_user_id limit 1)
    union all
    select next.* from assignees s cross join lateral (
      select project_id, environment_id, assignee_user_id from threads
      where assignee_user_id is not null and (project_id, environment_id, assignee_user_id) > (s.project_id, s.environment_id, s.user_id)
      order by project_id, environment_id, assignee_user_id limit 1) next
  )
  select project_id as "projectId", environment_id as "environmentId", user_id as "userId", not (
    exists (select from projects p join workspace_members m on m.workspace_id = p.workspace_id
      where p.project_id = s.project_id and m.user_id = s.user_id and m.role = any ($4::text[]))
    or exists (select from project_members m
      where m.project_id = s.project_id and m.user_id = s.user_id and m.role = any ($4::text[]))
    or exists (select from console_members m
      where m.project_id = s.project_id and m.user_id = s.user_id and m.role = any ($5::text[]))
  ) as "hasLostAccess"
  from (select * from assignees limit $6) s`;

/** The next assignees after one, in the order of their environments. */
export function listAssignees(
  db: Queries,
  { projectId, environmentId, userId }: Assignee,
  roles: AnsweringRoles,
  limit: number,
): Promise<FoundAssignee[]> {
  const values = [projectId, environmentId, userId, roles.studio, roles.console, limit];
  return db.query<FoundAssignee>(selectAssignees, values, 'assignees.list');
}

const selectThreads = `
  select thread_id as "threadId", project_id as "projectId", environment_id as "environmentId" from threads
  where assignee_user_id = $1 and thread_id > $2 and project_id = $3 and environment_id = $4 order by thread_id limit $5`;

/** A page of the assignee's threads in the environment, by id, after `after`. */
export function listAssignedThreads(
  db: Queries,
  { projectId, environmentId, userId }: Assignee,
  after: string,
  limit: number,
): Promise<ThreadKey[]> {
  const values = [userId, after, projectId, environmentId, limit];
  return db.query<ThreadKey>(selectThreads, values, 'assignees.threads');
}

const selectInWorkspace = `
  select t.thread_id as "threadId", t.project_id as "projectId", t.environment_id as "environmentId"
  from threads t join projects p on p.project_id = t.project_id
  where t.assignee_user_id = $1 and t.thread_id > $2 and p.workspace_id = $3 order by t.thread_id limit $4`;

/** A page of the threads in all projects of a workspace that a user is assigned to, by id, after `after`. */
export function listWorkspaceAssignments(
  db: Queries,
  asked: {
    readonly workspaceId: string;
    readonly userId: string;
    readonly after: string;
    readonly limit: number;
  },
): Promise<ThreadKey[]> {
  const { workspaceId, userId, after, limit } = asked;
  return db.query<ThreadKey>(selectInWorkspace, [userId, after, workspaceId, limit], 'assignees.workspace');
}

/** A thread that waits for somebody. */
export interface WaitingThread {
  readonly threadId: string;
  readonly waitingSince: Date;
  /** Nobody has it, and nothing keeps it from being given to somebody. */
  readonly isFree: boolean;
}

// The free ones of a page, and its last.
const selectWaiting = `
  with page as materialized (
    select t.thread_id, t.waiting_since, t.status = 'open' and t.assignee_user_id is null and t.snoozed_until is null
      and (t.waiting_since <= $5 or (t.state #>> '{desk,live}' is null and t.state #>> '{desk,waiting}' is null)) as is_free,
      row_number() over (order by t.waiting_since, t.thread_id) as n
    from threads t
    where t.project_id = $1 and t.environment_id = $2 and t.waiting_since is not null
      and t.waiting_since >= $3 and (t.waiting_since, t.thread_id) > ($3, $4)
    order by t.waiting_since, t.thread_id limit $6)
  select thread_id as "threadId", waiting_since as "waitingSince", is_free as "isFree" from page
  where is_free or n = $6 order by n`;

/**
 * Those that nobody has among the next threads that wait, the longest first, after one: out of `limit` threads. The last row is not free where
 * there may be more beyond.
 *
 * @param agentUntil an agent is left alone with what waits since a later instant
 */
export function listWaitingThreads(
  db: Queries,
  { projectId, environmentId }: TenantScope,
  after: Pick<WaitingThread, 'threadId' | 'waitingSince'>,
  agentUntil: Date,
  limit: number,
): Promise<WaitingThread[]> {
  const values = [projectId, environmentId, after.waitingSince, after.threadId, agentUntil, limit];
  return db.query<WaitingThread>(selectWaiting, values, 'assignees.waiting');
}
