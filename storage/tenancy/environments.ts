/** Environments: a project has its sandbox from the start, and at most one production environment. */
import { ServiceError } from '../../protocol/errors.ts';
import { newId } from '../../protocol/ids.ts';
import type {
  EnvironmentKind,
  Environment as EnvironmentResource,
} from '../../protocol/resources/environment.ts';
import { recordDoing, type Doing } from '../audit.ts';
import { page } from '../cursor.ts';
import type { Cursors, Page } from '../cursor.ts';
import type { Database } from '../database.ts';
import { Environment } from '../entities/tenancy.ts';
import { violates } from '../unique-violation.ts';
import type { Access } from './access.ts';
import { requireDeveloper } from './authority.ts';
import { visibleProjects } from './projects.ts';
import type { PageRequest } from './workspaces.ts';

interface EnvironmentRow {
  readonly environmentId: string;
  readonly projectId: string;
  readonly kind: EnvironmentKind;
  readonly name: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Ids sort by creation: the oldest comes first, in each project its sandbox. */
const selectPage = `
  with ${visibleProjects}
  select e.environment_id as "environmentId", e.project_id as "projectId", e.kind, e.name, e.created_at as "createdAt",
    e.updated_at as "updatedAt"
  from visible join environments e on e.project_id = visible.project_id
  where e.environment_id > $2 and ($3::text is null or e.project_id = $3) order by e.environment_id limit $4`;

export interface EnvironmentsOptions {
  readonly db: Database;
  readonly cursors: Cursors;
  readonly access: Access;
}

export class Environments {
  readonly #db: Database;
  readonly #cursors: Cursors;
  readonly #access: Access;

  constructor({ db, cursors, access }: EnvironmentsOptions) {
    this.#db = db;
    this.#cursors = cursors;
    this.#access = access;
  }

  /** All that the user sees, or those of one project; of a foreign project: none. */
  async list(
    userId: string,
    projectId: string | undefined,
    { cursor, limit }: PageRequest,
  ): Promise<Page<EnvironmentResource>> {
    const scope = `environments/${userId}/${projectId ?? ''}`;
    const after = cursor === undefined ? '' : this.#cursors.decode(scope, cursor)[0];
    const values = [userId, after, projectId ?? null, limit + 1];
    const rows = await this.#db.query<EnvironmentRow>(selectPage, values);
    return page(rows.map(toResource), limit, last => this.#cursors.encode(scope, [last.environmentId]));
  }

  /** Makes the production environment. Fails with `svc/runtime/conflict` when the project has one, and as `requireDeveloper` does. */
  async createProduction(projectId: string, name: string, doing: Doing): Promise<EnvironmentResource> {
    const { byUserId, now } = doing;
    const at = new Date(now);
    try {
      return await this.#db.em().transactional(async em => {
        await requireDeveloper(em, projectId, byUserId);
        const row = em.create(Environment, {
          environmentId: newId('environment', now),
          projectId,
          kind: 'production',
          name,
          createdAt: at,
          updatedAt: at,
        });
        await em.flush();
        const { environmentId } = row;
        const details = { name, kind: row.kind };
        await recordDoing(em, doing, {
          ...{ projectId, environmentId, action: 'environment.created', targetId: environmentId, details },
        });
        return toResource(row);
      });
    } catch (error) {
      if (!violates(error, 'environments_project_kind')) throw error;
      throw new ServiceError('svc/runtime/conflict', {
        message: 'The project has a production environment already.',
      });
    } finally {
      this.#access.forgetProject(projectId);
    }
  }
}

function toResource(row: EnvironmentRow): EnvironmentResource {
  return {
    environmentId: row.environmentId,
    projectId: row.projectId,
    name: row.name,
    kind: row.kind,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
