/** Environments: a project has its sandbox from the start, and at most one production environment. */
import { LockMode } from '@mikro-orm/core';
import { newId } from '../../protocol/ids.ts';
import type { Environment as EnvironmentResource, EnvironmentKind } from '../../protocol/resources/index.ts';
import { recordUserAction, type UserAuditContext } from '../audit/index.ts';
import { type Cursors, type Page, type PageRequest, cutPage, toPage } from '../paging/index.ts';
import { type Database, violatesConstraint } from '../database/index.ts';
import { Environment } from '../entities/index.ts';
import { transactOnce, type WorkKey } from '../idempotency/index.ts';
import type { AccessCache } from './access-cache.ts';
import { visibleProjects } from './projects.ts';
import { lockProjectRoles } from './roles.ts';
import type { TenancyRules } from './rules.ts';

interface EnvironmentRow {
  readonly environmentId: string;
  readonly projectId: string;
  readonly kind: EnvironmentKind;
  readonly name: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Ids sort by creation: the oldest comes first, which in each project is its sandbox. */
const selectPage = `
  with ${visibleProjects}
  select e.environment_id as "environmentId", e.project_id as "projectId", e.kind, e.name, e.created_at as "createdAt",
    e.updated_at as "updatedAt"
  from visible join environments e on e.project_id = visible.project_id
  where e.environment_id > $2 and ($3::text is null or e.project_id = $3) order by e.environment_id limit $4`;

const selectOne = `
  select environment_id as "environmentId", project_id as "projectId", kind, name, created_at as "createdAt", updated_at as "updatedAt"
  from environments where environment_id = $1`;

/** A new name of an environment. */
export interface EnvironmentRename extends UserAuditContext {
  readonly projectId: string;
  readonly environmentId: string;
  readonly name: string | undefined;
}

export interface EnvironmentsOptions {
  readonly db: Database;
  readonly cursors: Cursors;
  readonly access: AccessCache;
  readonly rules: TenancyRules;
}

export class Environments {
  readonly #db: Database;
  readonly #cursors: Cursors;
  readonly #access: AccessCache;
  readonly #rules: TenancyRules;

  constructor({ db, cursors, access, rules }: EnvironmentsOptions) {
    this.#db = db;
    this.#cursors = cursors;
    this.#access = access;
    this.#rules = rules;
  }

  /** All environments that the user sees, or those of one project; none of a foreign project. */
  async list(
    userId: string,
    projectId: string | undefined,
    { cursor, limit }: PageRequest,
  ): Promise<Page<EnvironmentResource>> {
    const scope = `environments/${userId}/${projectId ?? ''}`;
    const after = cursor === undefined ? '' : this.#cursors.decode(scope, cursor)[0];
    const values = [userId, after, projectId ?? null, limit + 1];
    const rows = await this.#db.query<EnvironmentRow>(selectPage, values);
    return toPage(cutPage(rows.map(toResource), limit), last =>
      this.#cursors.encode(scope, [last.environmentId]),
    );
  }

  /** Whosever it is: for authorising what the caller wants of it. Undefined where there is none. */
  async find(environmentId: string): Promise<EnvironmentResource | undefined> {
    const [row] = await this.#db.query<EnvironmentRow>(selectOne, [environmentId], 'environments.find');
    return row === undefined ? undefined : toResource(row);
  }

  /** A change that changes nothing is not recorded. */
  rename(change: EnvironmentRename): Promise<EnvironmentResource> {
    const { projectId, environmentId, name, byUserId, now } = change;
    return this.#db.em().transactional(async em => {
      this.#rules.requireDeveloper(await lockProjectRoles(em, projectId, byUserId));
      const lock = { lockMode: LockMode.PESSIMISTIC_WRITE };
      const row = await em.findOne(Environment, { environmentId, projectId }, lock);
      if (row === null) throw this.#rules.refuse('absent');
      if (name === undefined || name === row.name) return toResource(row);
      row.name = name;
      row.updatedAt = new Date(now);
      await em.flush();
      const act = { action: 'environment.updated', targetId: environmentId, details: { name } } as const;
      await recordUserAction(em, change, { projectId, environmentId, ...act });
      return toResource(row);
    });
  }

  /** Creates the production environment. Refused when the project has one. */
  async createProduction(
    projectId: string,
    name: string,
    audit: UserAuditContext,
    key?: WorkKey,
  ): Promise<EnvironmentResource> {
    const { byUserId, now } = audit;
    const at = new Date(now);
    try {
      return await transactOnce(this.#db, key, async em => {
        this.#rules.requireDeveloper(await lockProjectRoles(em, projectId, byUserId));
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
        await recordUserAction(em, audit, {
          projectId,
          environmentId,
          action: 'environment.created',
          targetId: environmentId,
          details,
        });
        return toResource(row);
      });
    } catch (error) {
      if (!violatesConstraint(error, 'environments_project_kind')) throw error;
      throw this.#rules.refuse('production_exists');
    } finally {
      this.#access.invalidateProject(projectId);
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
