/** Projects: those that a user sees, and new ones. */
import type { Project as ProjectResource } from '../../protocol/resources/project.ts';
import { recordDoing, type Doing } from '../audit.ts';
import { page } from '../cursor.ts';
import type { Cursors, Page } from '../cursor.ts';
import type { Database } from '../database.ts';
import { requireAdmin } from './authority.ts';
import { foundProject } from './founding.ts';
import type { PageRequest } from './workspaces.ts';

interface ProjectRow {
  readonly projectId: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly archivedAt?: Date | null | undefined;
}

/** `visible`: the projects that user $1 is somebody in. It begins at the user, so that its cost is theirs alone. */
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
    p.updated_at as "updatedAt", p.archived_at as "archivedAt"
  from visible join projects p on p.project_id = visible.project_id
  where p.project_id > $2 and ($3::text is null or p.workspace_id = $3) order by p.project_id limit $4`;

/** A project; whoever makes it becomes its Console project_owner. */
export interface NewProject extends Doing {
  readonly workspaceId: string;
  readonly name: string;
}

export class Projects {
  readonly #db: Database;
  readonly #cursors: Cursors;

  constructor(db: Database, cursors: Cursors) {
    this.#db = db;
    this.#cursors = cursors;
  }

  /** All that the user sees, or those of one workspace; of a foreign workspace: none. */
  async list(
    userId: string,
    workspaceId: string | undefined,
    { cursor, limit }: PageRequest,
  ): Promise<Page<ProjectResource>> {
    const scope = `projects/${userId}/${workspaceId ?? ''}`;
    const after = cursor === undefined ? '' : this.#cursors.decode(scope, cursor)[0];
    const values = [userId, after, workspaceId ?? null, limit + 1];
    const rows = await this.#db.query<ProjectRow>(selectPage, values);
    return page(rows.map(toResource), limit, last => this.#cursors.encode(scope, [last.projectId]));
  }

  /** Makes the project with its sandbox. Fails as `requireAdmin` does where the user is none any more. */
  create(request: NewProject): Promise<ProjectResource> {
    const { workspaceId, name, byUserId: userId, now } = request;
    return this.#db.em().transactional(async em => {
      // Until the commit: whoever removes the user from the workspace finds this project, too.
      await requireAdmin(em, workspaceId, userId);
      const project = foundProject(em, { workspaceId, name, userId, now: new Date(now) });
      await em.flush();
      const { projectId } = project;
      const details = { name };
      await recordDoing(em, request, {
        ...{ workspaceId, projectId, action: 'project.created', targetId: projectId, details },
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
  };
}
