/** Projects: the list that a user sees, and new projects. */
import type {
  AssignmentInput,
  Project as ProjectResource,
  ProjectAssignment,
} from '../../protocol/resources/index.ts';
import { recordUserAction, type UserAuditContext } from '../audit/index.ts';
import { type Cursors, type Page, type PageRequest, cutPage, toPage } from '../paging/index.ts';
import type { Database } from '../database/index.ts';
import { Project } from '../entities/index.ts';
import { type Keyed, transactOnce } from '../idempotency/index.ts';
import { defaultLimits, type Limits, requireWithinLimit } from '../writes/index.ts';
import { addProject } from './create-tenant.ts';
import { lockProject, lockWorkspaceRole } from './roles.ts';
import type { TenancyRules } from './rules.ts';

interface ProjectRow {
  readonly projectId: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly archivedAt?: Date | null | undefined;
  readonly assignmentMode: ProjectAssignment['mode'];
  readonly maxOpenThreads: number;
}

/** `visible`: the projects in which user $1 has a role. It begins at the user, so that it reads no other user's rows. */
export const visibleProjects = `
  visible as (
    select p.project_id from workspace_members m join projects p on p.workspace_id = m.workspace_id where m.user_id = $1
    union select project_id from project_members where user_id = $1
    union select project_id from console_members where user_id = $1
  )`;

/** Ids sort by creation: the oldest comes first. */
const selectPage = `
  with ${visibleProjects}
  select p.project_id as "projectId", p.workspace_id as "workspaceId", p.name, p.created_at as "createdAt",
    p.updated_at as "updatedAt", p.archived_at as "archivedAt", p.assignment_mode as "assignmentMode",
    p.max_open_threads as "maxOpenThreads"
  from visible join projects p on p.project_id = visible.project_id
  where p.project_id > $2 and ($3::text is null or p.workspace_id = $3) order by p.project_id limit $4`;

const selectOne = `
  select project_id as "projectId", workspace_id as "workspaceId", name, created_at as "createdAt", updated_at as "updatedAt",
    archived_at as "archivedAt", assignment_mode as "assignmentMode", max_open_threads as "maxOpenThreads"
  from projects where project_id = $1`;

/** What changes of a project; undefined stays. */
export interface ProjectUpdate extends UserAuditContext {
  readonly projectId: string;
  readonly name: string | undefined;
  readonly assignment?: AssignmentInput | undefined;
  /** Brings it back. */
  readonly archived?: false | undefined;
}

/** A new project. Its creator becomes its Console project_owner. */
export interface NewProject extends UserAuditContext, Keyed {
  readonly workspaceId: string;
  readonly name: string;
}

export class Projects {
  readonly #db: Database;
  readonly #cursors: Cursors;
  readonly #rules: TenancyRules;
  readonly #limits: Limits;

  constructor(db: Database, cursors: Cursors, rules: TenancyRules, limits = defaultLimits) {
    this.#db = db;
    this.#cursors = cursors;
    this.#rules = rules;
    this.#limits = limits;
  }

  /** All projects that the user sees, or those of one workspace; none of a foreign workspace. */
  async list(
    userId: string,
    workspaceId: string | undefined,
    { cursor, limit }: PageRequest,
  ): Promise<Page<ProjectResource>> {
    const scope = `projects/${userId}/${workspaceId ?? ''}`;
    const after = cursor === undefined ? '' : this.#cursors.decode(scope, cursor)[0];
    const values = [userId, after, workspaceId ?? null, limit + 1];
    const rows = await this.#db.query<ProjectRow>(selectPage, values);
    return toPage(cutPage(rows.map(toResource), limit), last =>
      this.#cursors.encode(scope, [last.projectId]),
    );
  }

  /** Of a caller who has a role in it; undefined where there is none. */
  async find(projectId: string): Promise<ProjectResource | undefined> {
    const [row] = await this.#db.query<ProjectRow>(selectOne, [projectId], 'projects.find');
    return row === undefined ? undefined : toResource(row);
  }

  /** A change that changes nothing is not recorded. */
  update(change: ProjectUpdate): Promise<ProjectResource> {
    const { projectId, byUserId, now } = change;
    return this.#db.em().transactional(async em => {
      const locked = await lockProject(em, projectId, byUserId);
      this.#rules.requireProjectAdmin(locked?.roles);
      const row = await em.findOneOrFail(Project, { projectId });
      const { name = row.name, assignment = {} } = change;
      const { mode = row.assignmentMode, maxOpenThreads = row.maxOpenThreads } = assignment;
      const isRenamed = name !== row.name;
      const isReassigned = mode !== row.assignmentMode || maxOpenThreads !== row.maxOpenThreads;
      const isRestored = change.archived === false && (row.archivedAt ?? null) !== null;
      if (!isRenamed && !isReassigned && !isRestored) return toResource(row);
      row.name = name;
      if (isRestored) row.archivedAt = null;
      row.assignmentMode = mode;
      row.maxOpenThreads = maxOpenThreads;
      row.updatedAt = new Date(now);
      await em.flush();
      const { workspaceId } = row;
      const details = {
        ...(isRenamed && { name }),
        ...(isReassigned && { assignment: { mode, maxOpenThreads } }),
        ...(isRestored && { archived: false }),
      };
      const act = { action: 'project.updated', targetId: projectId, details } as const;
      await recordUserAction(em, change, { workspaceId, projectId, ...act });
      return toResource(row);
    });
  }

  /** Archiving twice changes nothing. */
  async archive(change: UserAuditContext & { readonly projectId: string }): Promise<void> {
    const { projectId, byUserId, now } = change;
    await this.#db.em().transactional(async em => {
      const locked = await lockProject(em, projectId, byUserId);
      this.#rules.requireProjectAdmin(locked?.roles);
      const row = await em.findOneOrFail(Project, { projectId });
      if ((row.archivedAt ?? null) !== null) return;
      row.archivedAt = new Date(now);
      row.updatedAt = row.archivedAt;
      await em.flush();
      const { workspaceId, name } = row;
      const act = { action: 'project.archived', targetId: projectId, details: { name } } as const;
      await recordUserAction(em, change, { workspaceId, projectId, ...act });
    });
  }

  /** Creates the project with its sandbox. */
  create(request: NewProject): Promise<ProjectResource> {
    const { workspaceId, name, byUserId: userId, now } = request;
    return transactOnce(this.#db, request.key, async em => {
      // Locked until the commit: whoever removes the user from the workspace finds this project, too.
      this.#rules.requireAdmin(await lockWorkspaceRole(em, workspaceId, userId));
      const project = addProject(em, { workspaceId, name, userId, now: new Date(now) });
      await em.flush();
      await requireWithinLimit(em, this.#limits, 'projects', workspaceId);
      const { projectId } = project;
      const details = { name };
      await recordUserAction(em, request, {
        workspaceId,
        projectId,
        action: 'project.created',
        targetId: projectId,
        details,
      });
      return toResource(project);
    });
  }
}

function toResource(row: ProjectRow): ProjectResource {
  return {
    projectId: row.projectId,
    workspaceId: row.workspaceId,
    name: row.name,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    archivedAt: row.archivedAt?.toISOString() ?? null,
    assignment: { mode: row.assignmentMode, maxOpenThreads: row.maxOpenThreads },
  };
}
