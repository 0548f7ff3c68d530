/**
 * Who may go where (docs/contract-decisions.md, "Who may do what"), looked up for every request of a Studio user and held for at most a
 * second. A change that this process makes shows at once, if its maker calls `invalidate...` after the commit.
 */
import type { Clock } from '../../runtime/time/index.ts';
import type { ConsoleRole, StudioRole } from '../../protocol/operation.ts';
import { toStudioRole } from '../../protocol/operations/index.ts';
import type { EnvironmentKind, ProjectRole, WorkspaceRole } from '../../protocol/resources/index.ts';
import { type Queries, TtlCache } from '../database/index.ts';

export interface ProjectEnvironment {
  readonly environmentId: string;
  readonly kind: EnvironmentKind;
}

/** The roles of a user in a project. */
export interface ProjectAccess {
  readonly projectId: string;
  readonly workspaceId: string;
  readonly workspaceRole: WorkspaceRole | undefined;
  readonly projectRole: ProjectRole | undefined;
  /** The stronger of both. Workspace owner and admin keep their names: they imply developer in every project. */
  readonly studioRole: StudioRole | undefined;
  readonly consoleRole: ConsoleRole | undefined;
  /** What is archived: the project itself, or its workspace, and so all its projects. */
  readonly archived?: 'project' | 'workspace' | undefined;
  /** The workspace lets in only users with a second factor. */
  readonly requiresSecondFactor?: boolean;
  /** One or two: the sandbox first. */
  readonly environments: readonly ProjectEnvironment[];
}

/** The role of a user in a workspace. */
export interface WorkspaceAccess {
  readonly role: WorkspaceRole;
  readonly isArchived: boolean;
  readonly requiresSecondFactor?: boolean;
}

interface InProject {
  readonly userId: string;
  readonly projectId: string;
}

interface InWorkspace {
  readonly userId: string;
  readonly workspaceId: string;
}

interface ProjectRow {
  readonly projectId: string;
  readonly workspaceId: string;
  readonly workspaceRole: WorkspaceRole | null;
  readonly projectRole: ProjectRole | null;
  readonly consoleRole: ConsoleRole | null;
  readonly archived: 'project' | 'workspace' | null;
  readonly requiresSecondFactor: boolean | null;
  readonly environments: readonly ProjectEnvironment[] | null;
}

const selectProject = `
  select p.project_id as "projectId", p.workspace_id as "workspaceId", wm.role as "workspaceRole", pm.role as "projectRole",
    cm.role as "consoleRole",
    case when w.archived_at is not null then 'workspace' when p.archived_at is not null then 'project' end as archived,
    w.requires_second_factor as "requiresSecondFactor",
    (select jsonb_agg(jsonb_build_object('environmentId', e.environment_id, 'kind', e.kind) order by e.kind desc)
      from environments e where e.project_id = p.project_id) as environments
  from projects p left join workspaces w on w.workspace_id = p.workspace_id
  left join workspace_members wm on wm.workspace_id = p.workspace_id and wm.user_id = $1
  left join project_members pm on pm.project_id = p.project_id and pm.user_id = $1
  left join console_members cm on cm.project_id = p.project_id and cm.user_id = $1
  where p.project_id = $2 and coalesce(wm.role, pm.role, cm.role) is not null`;

const selectRole = `
  select m.role, w.archived_at is not null as "isArchived",
    coalesce(w.requires_second_factor, false) as "requiresSecondFactor"
  from workspace_members m left join workspaces w on w.workspace_id = m.workspace_id
  where m.workspace_id = $2 and m.user_id = $1`;

export class AccessCache {
  readonly #projects: TtlCache<ProjectAccess, InProject>;
  readonly #workspaces: TtlCache<WorkspaceAccess, InWorkspace>;

  constructor(db: Queries, clock: Clock) {
    this.#projects = new TtlCache({
      clock,
      load: async ({ userId, projectId }) => {
        const [row] = await db.query<ProjectRow>(selectProject, [userId, projectId], 'access.project');
        return row === undefined ? undefined : toAccess(row);
      },
    });
    this.#workspaces = new TtlCache({
      clock,
      load: async ({ userId, workspaceId }) => {
        const values = [userId, workspaceId];
        const [row] = await db.query<WorkspaceAccess>(selectRole, values, 'access.workspace');
        return row;
      },
    });
  }

  /** Undefined where the user has no role, who may not know then whether the project exists. */
  project(userId: string, projectId: string): ProjectAccess | Promise<ProjectAccess | undefined> {
    return this.#projects.get(`${userId} ${projectId}`, { userId, projectId });
  }

  /** Undefined where the user is not a member. */
  async workspace(userId: string, workspaceId: string): Promise<WorkspaceAccess | undefined> {
    return this.#workspaces.get(`${userId} ${workspaceId}`, { userId, workspaceId });
  }

  /** The environments of the project, or the roles in it, have changed. */
  invalidateProject(projectId: string): void {
    this.#projects.invalidateWhere(access => access.projectId === projectId);
  }

  /** The workspace was archived or restored. */
  invalidateWorkspace(workspaceId: string): void {
    this.#projects.invalidateWhere(access => access.workspaceId === workspaceId);
    this.#workspaces.invalidateWhere((_, key) => key.endsWith(` ${workspaceId}`));
  }

  /** The roles of a user have changed. */
  invalidateUser(userId: string): void {
    this.#projects.invalidateWhere((_, key) => key.startsWith(`${userId} `));
    this.#workspaces.invalidateWhere((_, key) => key.startsWith(`${userId} `));
  }
}

function toAccess(row: ProjectRow): ProjectAccess {
  return {
    projectId: row.projectId,
    workspaceId: row.workspaceId,
    workspaceRole: row.workspaceRole ?? undefined,
    projectRole: row.projectRole ?? undefined,
    studioRole: toStudioRole(row.workspaceRole, row.projectRole),
    consoleRole: row.consoleRole ?? undefined,
    archived: row.archived ?? undefined,
    requiresSecondFactor: row.requiresSecondFactor ?? false,
    environments: row.environments ?? [],
  };
}
