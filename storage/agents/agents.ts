/**
 * Agents: they answer on threads, by the active version of their loom. An archived agent answers nothing, and no thread or channel names
 * it any more.
 */
import { LockMode } from '@mikro-orm/core';
import type { InferEntity } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { EventName } from '../../protocol/events.ts';
import { newId } from '../../protocol/ids.ts';
import type { Agent as AgentResource, AgentMode, Provider } from '../../protocol/resources/index.ts';
import { type AuditContext, recordAction } from '../audit/index.ts';
import type { Cursors, Page } from '../paging/index.ts';
import type { Database, Queries, TenantScope } from '../database/index.ts';
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
import { endSplit, setSplit, toSplit, type WantedSplit } from './agent-splits.ts';
import { answeringVersion, defaultLimits, type Limits, requireWithinLimit } from '../writes/index.ts';
import type { AgentRules } from './rules.ts';

export interface NewAgent extends TenantScope, AuditContext, Keyed {
  readonly name: string;
  /** Null: as the active version of its loom says. */
  readonly mode: AgentMode | null;
  readonly loomId: string | null;
  readonly metadata: Record<string, unknown>;
}

export interface AgentChange extends TenantScope, AuditContext, Conditional {
  readonly agentId: string;
  readonly changes: {
    readonly name?: string | undefined;
    readonly mode?: AgentMode | null | undefined;
    readonly loomId?: string | null | undefined;
    readonly metadata?: Record<string, unknown> | undefined;
    /** Null: it ends. */
    readonly split?: WantedSplit | null | undefined;
  };
  readonly archived?: boolean | undefined;
}

type AgentEntity = InferEntity<typeof Agent>;

/** An agent, with what its loom adds. */
type AgentRow = AgentEntity & {
  readonly activeLoomVersionId: string | null;
  readonly versionMode: AgentMode | null;
  readonly lastActivation: number | null;
};

/** What of its loom, and of that loom's active version, an agent shows: of a loom that its environment does not have, nothing. */
const selectOwn = (what: string): string => `
  (select ${what} from looms l left join loom_versions v on v.loom_version_id = l.active_version_id and v.loom_id = l.loom_id
      and v.project_id = l.project_id and v.environment_id = l.environment_id
    where l.loom_id = agents.loom_id and l.project_id = agents.project_id and l.environment_id = agents.environment_id)`;

const columns = `agent_id as "agentId", project_id as "projectId", environment_id as "environmentId", name, mode,
  metadata, created_at as "createdAt", updated_at as "updatedAt", archived_at as "archivedAt", ${selectOwn('l.loom_id')} as "loomId",
  ${selectOwn('v.loom_version_id')} as "activeLoomVersionId", ${selectOwn('v.mode')} as "versionMode", ${selectOwn('l.last_activation')} as "lastActivation",
  split_version_id as "splitVersionId", split_percent as "splitPercent", split_activation as "splitActivation", split_at as "splitAt"`;

const listing: EnvironmentList = { table: 'agents', id: 'agent_id', columns };

export interface AgentsOptions {
  readonly db: Database;
  readonly cursors: Cursors;
  readonly rules: Pick<AgentRules, 'refuse'>;
  readonly limits?: Limits;
}

export class Agents {
  readonly #options: AgentsOptions;

  constructor(options: AgentsOptions) {
    this.#options = options;
  }

  async list(tenant: TenantScope, request: ArchivablePageRequest): Promise<Page<AgentResource>> {
    const { data, ...rest } = await listPage<AgentRow>(
      this.#options,
      selectArchived(listing, request.archived),
      tenant,
      request,
      row => row.agentId,
    );
    return { data: data.map(agentResource), ...rest };
  }

  /** Archived or not; undefined where the environment has no such agent. */
  async find({ projectId, environmentId }: TenantScope, agentId: string): Promise<AgentResource | undefined> {
    const [row] = await this.#options.db.query<AgentRow>(
      `select ${columns} from agents where agent_id = $1 and project_id = $2 and environment_id = $3`,
      [agentId, projectId, environmentId],
      'agents.find',
    );
    return row === undefined ? undefined : agentResource(row);
  }

  /** Refused for a loom that the environment does not have, and for one that is archived. */
  create(request: NewAgent): Promise<AgentResource> {
    const { projectId, environmentId, name, mode, loomId, metadata, now } = request;
    const at = new Date(now);
    return transactOnce(this.#options.db, request.key, async em => {
      await this.#lockLoom(em, request, loomId);
      const row = em.create(Agent, {
        agentId: newId('agent', now),
        projectId,
        environmentId,
        name,
        mode,
        loomId,
        metadata,
        createdAt: at,
        updatedAt: at,
      });
      return this.#save(em, request, row, 'created', { name });
    });
  }

  /**
   * A change that changes nothing is not recorded. Refused for an agent that is archived and stays so. A split ends with the loom, and in the
   * archive.
   */
  update(change: AgentChange): Promise<AgentResource> {
    const { projectId, environmentId, agentId, changes, archived, now } = change;
    const { db, rules } = this.#options;
    return db.em().transactional(async em => {
      const lock = { lockMode: LockMode.PESSIMISTIC_WRITE };
      const row = await em.findOne(Agent, { agentId, projectId, environmentId }, lock);
      if (row === null) throw rules.refuse('absent');
      const wasArchived = (row.archivedAt ?? null) !== null;
      if (change.ifMatch !== undefined) requireUnchanged(rules, change, await loadResource(em, row));
      const { split, ...plain } = changes;
      const fields = applyChanges<Partial<AgentEntity>>(row, mergeMetadata(rules, row.metadata, plain));
      const isArchived = archived ?? wasArchived;
      if (isArchived !== wasArchived) {
        row.archivedAt = isArchived ? new Date(now) : null;
        fields.push('archived');
      }
      // An archived agent does not hold its loom: when the agent is restored, its loom must still be there.
      if (fields.includes('loomId') || (wasArchived && !isArchived)) {
        await this.#lockLoom(em, change, row.loomId ?? null, isArchived);
      }
      const hasEnded = (fields.includes('loomId') || isArchived || split === null) && endSplit(row);
      const wanted = split ?? undefined;
      const hasBegun = wanted !== undefined && (await setSplit(em, rules, row, wanted, now));
      if (wanted !== undefined && isArchived) throw rules.refuse('agent_archived');
      if (hasEnded || hasBegun) fields.push('split');
      if (fields.length === 0) return loadResource(em, row);
      if (wasArchived && isArchived) throw rules.refuse('agent_archived');
      row.updatedAt = new Date(now);
      const { splitVersionId: loomVersionId = null, splitPercent: percent = null } = row;
      const shares = loomVersionId === null ? null : { loomVersionId, percent };
      const details = { fields: fields.sort(), ...(fields.includes('split') ? { split: shares } : {}) };
      return this.#save(em, change, row, 'updated', details);
    });
  }

  /** Saves the change, with its audit entry and its event. */
  async #save(
    em: EntityManager,
    audit: AuditContext,
    row: AgentEntity,
    verb: 'created' | 'updated',
    details: Readonly<Record<string, unknown>>,
  ): Promise<AgentResource> {
    await em.flush();
    const { projectId, environmentId, agentId: targetId } = row;
    // A restored agent counts as a new one does.
    if ((row.archivedAt ?? null) === null) {
      await requireWithinLimit(em, this.#options.limits ?? defaultLimits, 'agents', projectId);
    }
    await recordAction(em, audit, { projectId, environmentId, action: `agent.${verb}`, targetId, details });
    const agent = await loadResource(em, row);
    const eventName: EventName = `agent.lifecycle.${verb}`;
    await appendEvents(em, [{ projectId, environmentId, eventName, data: { actor: audit.author, agent } }]);
    return agent;
  }

  /** Locks the loom, so that it is not archived before the transaction ends. @param mayBeArchived for an agent that is archived itself */
  async #lockLoom(
    em: EntityManager,
    { projectId, environmentId }: TenantScope,
    loomId: string | null,
    mayBeArchived = false,
  ): Promise<void> {
    if (loomId === null) return;
    const { rules } = this.#options;
    const lock = { lockMode: LockMode.PESSIMISTIC_READ };
    const loom = await em.findOne(Loom, { loomId, projectId, environmentId }, lock);
    if (loom === null) throw rules.refuse('agent_loom_absent');
    if (loom.status === 'archived' && !mayBeArchived) throw rules.refuse('loom_archived');
  }
}

async function loadResource(em: EntityManager, row: AgentEntity): Promise<AgentResource> {
  const { projectId, environmentId, loomId = null } = row;
  const own = { projectId, environmentId };
  const loom = loomId === null ? null : await em.findOne(Loom, { ...own, loomId });
  const loomVersionId = loom?.activeVersionId ?? null;
  const version = loom && loomVersionId && (await em.findOne(LoomVersion, { ...own, loomId, loomVersionId }));
  return agentResource({
    ...row,
    loomId: loom?.loomId ?? null,
    activeLoomVersionId: version ? version.loomVersionId : null,
    versionMode: version ? (version.mode ?? null) : null,
    lastActivation: loom?.lastActivation ?? null,
  });
}

function agentResource(row: AgentRow): AgentResource {
  const { activeLoomVersionId } = row;
  return {
    agentId: row.agentId,
    projectId: row.projectId,
    environmentId: row.environmentId,
    name: row.name,
    mode: row.mode ?? row.versionMode ?? 'paused',
    loomId: row.loomId ?? null,
    ...(activeLoomVersionId === null ? {} : { activeLoomVersionId }),
    split: toSplit(row, row.lastActivation),
    metadata: row.metadata,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    archivedAt: row.archivedAt?.toISOString() ?? null,
  };
}

/** Whether the environment has such an agent, not archived. */
export async function hasAgent(
  db: Queries,
  { projectId, environmentId }: TenantScope,
  agentId: string,
): Promise<boolean> {
  const rows = await db.query(
    `select from agents where agent_id = $1 and project_id = $2 and environment_id = $3 and archived_at is null`,
    [agentId, projectId, environmentId],
    'agents.has',
  );
  return rows.length > 0;
}

/** What an agent is when it is asked to answer. */
export interface AgentHead {
  readonly agentId: string;
  readonly loomId: string;
  readonly loomVersionId: string;
  readonly provider: Provider;
  readonly model: string;
  /** Its own, or else that of the version, or else paused. */
  readonly mode: AgentMode;
}

// With a split it is one version for some threads, and another one for others.
const selectHead = `
  select a.agent_id as "agentId", a.loom_id as "loomId", v.loom_version_id as "loomVersionId", v.provider, v.model,
    coalesce(a.mode, v.mode, 'paused') as mode
  from agents a
  join looms l on l.loom_id = a.loom_id and l.project_id = a.project_id and l.environment_id = a.environment_id
  join loom_versions v on v.loom_version_id = ${answeringVersion('$4::text')} and v.loom_id = l.loom_id
    and v.project_id = l.project_id and v.environment_id = l.environment_id
  where a.agent_id = $1 and a.project_id = $2 and a.environment_id = $3 and a.archived_at is null and l.status = 'active'`;

/**
 * Undefined where the environment has no such agent, or one that cannot answer: archived, without a loom, or without an active version.
 *
 * @param threadId the thread that it is to answer, which has a part in the choice of the version; null: none
 */
export async function findAgentHead(
  db: Queries,
  { projectId, environmentId }: TenantScope,
  agentId: string,
  threadId: string | null,
): Promise<AgentHead | undefined> {
  const values = [agentId, projectId, environmentId, threadId];
  const [row] = await db.query<AgentHead>(selectHead, values, 'agents.head');
  return row;
}
