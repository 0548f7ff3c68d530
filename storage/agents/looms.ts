/**
 * Looms: the definitions of agents, in versions (loom-versions.ts).
 *
 *   active   -> archived   unless an agent uses it
 *   archived -> active
 *
 * The row of a loom is also the lock of its versions: their numbers are dense, and exactly one of them is active.
 */
import { LockMode } from '@mikro-orm/core';
import type { InferEntity } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { newId } from '../../protocol/ids.ts';
import type { Loom as LoomResource } from '../../protocol/resources/index.ts';
import { type AuditContext, recordAction } from '../audit/index.ts';
import type { Cursors, Page } from '../paging/index.ts';
import type { Database, TenantScope } from '../database/index.ts';
import { Agent, Loom, LoomVersion } from '../entities/index.ts';
import { appendEvents } from '../events/index.ts';
import { type Keyed, transactOnce } from '../idempotency/index.ts';
import {
  type ArchivablePageRequest,
  type Conditional,
  type EnvironmentList,
  applyChanges,
  listPage,
  mergeMetadata,
  requireUnchanged,
  selectArchived,
} from './environment-rows.ts';
import { setActiveVersion } from './loom-activations.ts';
import { addVersion, findUnusableReferences, versionEvents, type LoomDefinition } from './loom-definition.ts';
import { defaultLimits, type Limits, requireWithinLimit } from '../writes/index.ts';
import type { AgentRules } from './rules.ts';

export interface NewLoom extends TenantScope, AuditContext, Keyed {
  readonly name: string;
  readonly metadata: Record<string, unknown>;
  readonly definition: LoomDefinition;
}

/** A loom of an environment, and who changes it. */
export interface LoomTarget extends TenantScope, AuditContext {
  readonly loomId: string;
}

export interface Activation extends LoomTarget, Keyed {
  readonly loomVersionId: string;
  /** Why, in words. */
  readonly reason?: string | null;
  readonly expectedActiveVersionId?: string | undefined;
}

export interface LoomChange extends LoomTarget, Conditional {
  readonly changes: {
    readonly name?: string | undefined;
    readonly status?: LoomResource['status'] | undefined;
    readonly metadata?: Record<string, unknown> | undefined;
  };
}

export type LoomRow = InferEntity<typeof Loom>;

// An active version that the loom does not have in its environment reads as none.
const columns = `loom_id as "loomId", project_id as "projectId", environment_id as "environmentId", name, status,
  (select v.loom_version_id from loom_versions v where v.loom_version_id = looms.active_version_id and v.loom_id = looms.loom_id
    and v.project_id = looms.project_id and v.environment_id = looms.environment_id) as "activeVersionId", last_version as "lastVersion", metadata, created_at as "createdAt",
  updated_at as "updatedAt", archived_at as "archivedAt"`;

const listing: EnvironmentList = { table: 'looms', id: 'loom_id', columns };

export interface LoomsOptions {
  readonly db: Database;
  readonly cursors: Cursors;
  readonly rules: Pick<AgentRules, 'refuse' | 'unusableReferences'>;
  readonly limits?: Limits;
}

export class Looms {
  readonly #options: LoomsOptions;

  constructor(options: LoomsOptions) {
    this.#options = options;
  }

  async list(tenant: TenantScope, request: ArchivablePageRequest): Promise<Page<LoomResource>> {
    const { data, ...rest } = await listPage<LoomRow>(
      this.#options,
      selectArchived(listing, request.archived),
      tenant,
      request,
      row => row.loomId,
    );
    return { data: data.map(loomResource), ...rest };
  }

  /** Archived or not; undefined where the environment has no such loom. */
  async find({ projectId, environmentId }: TenantScope, loomId: string): Promise<LoomResource | undefined> {
    const [row] = await this.#options.db.query<LoomRow>(
      `select ${columns} from looms where loom_id = $1 and project_id = $2 and environment_id = $3`,
      [loomId, projectId, environmentId],
      'looms.find',
    );
    return row === undefined ? undefined : loomResource(row);
  }

  /** Creates the loom with its first version, which is active. Refused for references that the version cannot use. */
  create(request: NewLoom): Promise<LoomResource> {
    const { projectId, environmentId, name, metadata, definition, now } = request;
    const { db, rules } = this.#options;
    const at = new Date(now);
    return transactOnce(db, request.key, async em => {
      const unusable = await findUnusableReferences(em, request, definition);
      if (unusable.length > 0) throw rules.unusableReferences(unusable);
      const loom = em.create(Loom, {
        loomId: newId('loom', now),
        projectId,
        environmentId,
        name,
        metadata,
        status: 'active',
        createdAt: at,
        updatedAt: at,
      });
      const version = addVersion(em, loom, definition, now);
      setActiveVersion(em, loom, version.loomVersionId, request, null);
      await em.flush();
      await this.#requireWithinLimit(em, projectId);
      const { loomId: targetId } = loom;
      const details = { name, loomVersionId: version.loomVersionId };
      await recordAction(em, request, {
        projectId,
        environmentId,
        action: 'loom.created',
        targetId,
        details,
      });
      await appendEvents(em, versionEvents(request, version, ['published', 'activated']));
      return loomResource(loom);
    });
  }

  #requireWithinLimit(em: EntityManager, projectId: string): Promise<void> {
    return requireWithinLimit(em, this.#options.limits ?? defaultLimits, 'looms', projectId);
  }

  /** A change that changes nothing is not recorded. Refused for archiving a loom that an agent uses. */
  update(change: LoomChange): Promise<LoomResource> {
    const { projectId, environmentId, loomId, changes, now } = change;
    const { db, rules } = this.#options;
    return db.em().transactional(async em => {
      const loom = await lockLoom(em, change, rules);
      requireUnchanged(rules, change, loomResource(loom));
      const fields = applyChanges<Partial<LoomRow>>(loom, mergeMetadata(rules, loom.metadata, changes));
      if (fields.length === 0) return loomResource(loom);
      if (fields.includes('status')) {
        const archives = loom.status === 'archived';
        const uses = { loomId, projectId, environmentId, archivedAt: null };
        if (archives && (await em.count(Agent, uses)) > 0) {
          throw rules.refuse('loom_in_use');
        }
        loom.archivedAt = archives ? new Date(now) : null;
      }
      loom.updatedAt = new Date(now);
      await em.flush();
      // A restored loom counts as a new one does.
      if (fields.includes('status')) await this.#requireWithinLimit(em, projectId);
      await recordAction(em, change, {
        projectId,
        environmentId,
        action: 'loom.updated',
        targetId: loomId,
        details: { fields },
      });
      return loomResource(loom);
    });
  }

  /**
   * Makes a published version the active one. The active version stays so, without a second event. Refused for a version of another
   * loom, for an archived version or loom, and where another version is active than the caller says.
   */
  activate(target: Activation): Promise<LoomResource> {
    const {
      projectId,
      environmentId,
      loomId,
      loomVersionId,
      expectedActiveVersionId,
      reason = null,
      now,
    } = target;
    const { db, rules } = this.#options;
    return transactOnce(db, target.key, async em => {
      const loom = await lockLoom(em, target, rules);
      const version = await em.findOne(LoomVersion, { loomVersionId, loomId, projectId, environmentId });
      if (version === null) throw rules.refuse('activated_version_absent');
      if (expectedActiveVersionId !== undefined) {
        const expected = { loomVersionId: expectedActiveVersionId, loomId, projectId, environmentId };
        if ((await em.findOne(LoomVersion, expected)) === null) throw rules.refuse('expected_version_absent');
      }
      if (loom.status === 'archived') throw rules.refuse('loom_archived');
      if (version.status === 'archived') throw rules.refuse('loom_version_archived');
      if (loom.activeVersionId === loomVersionId) return loomResource(loom);
      if (expectedActiveVersionId !== undefined && loom.activeVersionId !== expectedActiveVersionId) {
        throw rules.refuse('active_version_changed');
      }
      setActiveVersion(em, loom, loomVersionId, target, reason);
      loom.updatedAt = new Date(now);
      await em.flush();
      const details = { loomId, version: version.version };
      await recordAction(em, target, {
        projectId,
        environmentId,
        action: 'loom_version.activated',
        targetId: loomVersionId,
        details,
      });
      await appendEvents(em, versionEvents(target, version, ['activated']));
      return loomResource(loom);
    });
  }
}

/** Of several changes of one loom or its versions, each waits here for the one before. */
export async function lockLoom(
  em: EntityManager,
  { projectId, environmentId, loomId }: LoomTarget,
  rules: Pick<AgentRules, 'refuse'>,
): Promise<LoomRow> {
  const lock = { lockMode: LockMode.PESSIMISTIC_WRITE };
  const loom = await em.findOne(Loom, { loomId, projectId, environmentId }, lock);
  if (loom === null) throw rules.refuse('absent');
  return loom;
}

function loomResource(row: LoomRow): LoomResource {
  return {
    loomId: row.loomId,
    projectId: row.projectId,
    environmentId: row.environmentId,
    name: row.name,
    status: row.status,
    activeVersionId: row.activeVersionId ?? null,
    metadata: row.metadata,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    archivedAt: row.archivedAt?.toISOString() ?? null,
  };
}
