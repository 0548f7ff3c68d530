/**
 * Versions of looms: immutable except for their status.
 *
 *   published -> archived   unless it is the active version
 *   archived  -> published
 */
import { defaultLimits, requireWithinLimit } from '../writes/index.ts';
import type { LoomVersion as LoomVersionResource } from '../../protocol/resources/index.ts';
import { recordAction } from '../audit/index.ts';
import { type Page, type PageRequest, limitBytes, readPage, toPage } from '../paging/index.ts';
import { Agent, LoomVersion } from '../entities/index.ts';
import { appendEvents } from '../events/index.ts';
import { type Keyed, transactOnce } from '../idempotency/index.ts';
import type { TenantScope } from '../database/index.ts';
import { setActiveVersion } from './loom-activations.ts';
import {
  addVersion,
  findUnusableReferences,
  versionEvents,
  versionResource,
  type LoomDefinition,
  type LoomVersionRow,
} from './loom-definition.ts';
import { lockLoom, type LoomsOptions, type LoomTarget } from './looms.ts';

const isOwn = (row: string): string =>
  `${row}.project_id = loom_versions.project_id and ${row}.environment_id = loom_versions.environment_id`;

// A credential and tools that the environment does not have read as none.
const columns = `loom_version_id as "loomVersionId", project_id as "projectId", environment_id as "environmentId", loom_id as "loomId",
  version, status, system_prompt as "systemPrompt", rules, provider, model, mode, temperature, max_tokens as "maxTokens",
  (select c.byok_credential_id from byok_credentials c
    where c.byok_credential_id = loom_versions.byok_credential_id and ${isOwn('c')}) as "byokCredentialId",
  array(select listed.tool_id from unnest(tool_ids) with ordinality as listed(tool_id, n)
    join tools t on t.tool_id = listed.tool_id and ${isOwn('t')} order by listed.n) as "toolIds", metadata, created_at as "createdAt"`;

const selectPage = limitBytes(`
  select ${columns} from loom_versions
  where loom_id = $1 and project_id = $2 and environment_id = $3 and version < $4 order by version desc limit $5`);

const selectOne = `
  select ${columns} from loom_versions
  where loom_version_id = $1 and loom_id = $2 and project_id = $3 and environment_id = $4`;

/** The largest number of a version. */
const maxVersion = 2_147_483_647;

export class LoomVersions {
  readonly #options: LoomsOptions;

  constructor(options: LoomsOptions) {
    this.#options = options;
  }

  /** The newest first; empty where the environment has no such loom. */
  async list(
    { projectId, environmentId }: TenantScope,
    loomId: string,
    { cursor, limit }: PageRequest,
  ): Promise<Page<LoomVersionResource>> {
    const { db, cursors } = this.#options;
    const scope = `loom-versions ${environmentId} ${loomId}`;
    const before = cursor === undefined ? maxVersion : Number(cursors.decode(scope, cursor)[0]);
    const values = [loomId, projectId, environmentId, before, limit + 1];
    const page = await readPage<LoomVersionRow>(db, selectPage, values, limit);
    const { data, ...rest } = toPage(page, last => cursors.encode(scope, [last.version]));
    return { data: data.map(versionResource), ...rest };
  }

  /** Undefined where that loom of the environment has no such version. */
  async find(
    { projectId, environmentId }: TenantScope,
    loomId: string,
    loomVersionId: string,
  ): Promise<LoomVersionResource | undefined> {
    const values = [loomVersionId, loomId, projectId, environmentId];
    const [row] = await this.#options.db.query<LoomVersionRow>(selectOne, values, 'loom-versions.find');
    return row === undefined ? undefined : versionResource(row);
  }

  /** Publishes the next version of the loom. Refused for an archived loom, and for references that the version cannot use. */
  create(
    target: LoomTarget &
      Keyed & {
        readonly definition: LoomDefinition;
        readonly activate: boolean;
        /** Why it is activated. */
        readonly reason?: string | null;
      },
  ): Promise<LoomVersionResource> {
    const { projectId, environmentId, loomId, definition, activate, reason = null, now } = target;
    const { db, rules } = this.#options;
    return transactOnce(db, target.key, async em => {
      const loom = await lockLoom(em, target, rules);
      if (loom.status === 'archived') throw rules.refuse('loom_archived');
      const unusable = await findUnusableReferences(em, target, definition);
      if (unusable.length > 0) throw rules.unusableReferences(unusable);
      const version = addVersion(em, loom, definition, now);
      const { loomVersionId } = version;
      if (activate) setActiveVersion(em, loom, loomVersionId, target, reason);
      loom.updatedAt = new Date(now);
      await em.flush();
      const { limits = defaultLimits } = this.#options;
      await requireWithinLimit(em, limits, 'loomVersions', loomId);
      const details = { loomId, version: version.version, activated: activate };
      await recordAction(em, target, {
        projectId,
        environmentId,
        action: 'loom_version.created',
        targetId: loomVersionId,
        details,
      });
      await appendEvents(
        em,
        versionEvents(target, version, activate ? ['published', 'activated'] : ['published']),
      );
      return versionResource(version);
    });
  }

  /** A change that changes nothing is not recorded. Refused for archiving a version that answers. */
  setStatus(
    target: LoomTarget & {
      readonly loomVersionId: string;
      /** Undefined: it stays. */
      readonly status: LoomVersionResource['status'] | undefined;
    },
  ): Promise<LoomVersionResource> {
    const { projectId, environmentId, loomId, loomVersionId, status } = target;
    const { db, rules } = this.#options;
    return db.em().transactional(async em => {
      const loom = await lockLoom(em, target, rules);
      const version = await em.findOne(LoomVersion, { loomVersionId, loomId, projectId, environmentId });
      if (version === null) throw rules.refuse('absent');
      if (status === undefined || version.status === status) return versionResource(version);
      if (status === 'archived' && loom.activeVersionId === loomVersionId) {
        throw rules.refuse('loom_version_active');
      }
      const split = { splitVersionId: loomVersionId, splitActivation: loom.lastActivation, archivedAt: null };
      const answers = { loomId, projectId, environmentId, ...split };
      if (status === 'archived' && (await em.count(Agent, answers)) > 0) {
        throw rules.refuse('loom_version_in_split');
      }
      version.status = status;
      await em.flush();
      const details = { loomId, version: version.version, status };
      await recordAction(em, target, {
        projectId,
        environmentId,
        action: 'loom_version.updated',
        targetId: loomVersionId,
        details,
      });
      return versionResource(version);
    });
  }
}
