/**
 * Agents (specification, "Agent"): who answers on threads, by the active version of a loom. An archived one answers nothing and
 * is named by no thread or channel any more.
 */
import { LockMode } from '@mikro-orm/core';
import type { InferEntity } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { invalid, notFound, ServiceError } from '../../protocol/errors.ts';
import type { EventName } from '../../protocol/events.ts';
import { newId } from '../../protocol/ids.ts';
import type { Agent as AgentResource } from '../../protocol/resources/agent.ts';
import type { AgentMode } from '../../protocol/resources/thread.ts';
import { recordDeed, type Deed } from '../audit.ts';
import type { Cursors, Page } from '../cursor.ts';
import type { Database } from '../database.ts';
import { Agent, Loom, LoomVersion } from '../entities/agents.ts';
import { appendEvents } from '../events.ts';
import type { Place } from '../reads/place.ts';
import type { PageRequest } from '../tenancy/workspaces.ts';
import { applyChanges } from './changes.ts';
import { listed, type Listing } from './listing.ts';
import { refuseArchived } from './looms.ts';

export interface NewAgent extends Place, Deed {
  readonly name: string;
  /** Null: as the active version of its loom says. */
  readonly mode: AgentMode | null;
  readonly loomId: string | null;
  readonly metadata: Record<string, unknown>;
}

export interface AgentChange extends Place, Deed {
  readonly agentId: string;
  readonly changes: {
    readonly name?: string | undefined;
    readonly mode?: AgentMode | null | undefined;
    readonly loomId?: string | null | undefined;
    readonly metadata?: Record<string, unknown> | undefined;
  };
  readonly archived?: boolean | undefined;
}

type AgentEntity = InferEntity<typeof Agent>;

/** An agent, with what its loom adds. */
type AgentRow = AgentEntity & {
  readonly activeLoomVersionId: string | null;
  readonly versionMode: AgentMode | null;
};

const columns = `agent_id as "agentId", project_id as "projectId", environment_id as "environmentId", name, mode, loom_id as "loomId",
  metadata, created_at as "createdAt", updated_at as "updatedAt", archived_at as "archivedAt",
  (select l.active_version_id from looms l where l.loom_id = agents.loom_id) as "activeLoomVersionId",
  (select v.mode from looms l join loom_versions v on v.loom_version_id = l.active_version_id
    where l.loom_id = agents.loom_id) as "versionMode"`;

const listing: Listing = { table: 'agents', id: 'agent_id', columns, where: 'archived_at is null' };

export interface AgentsOptions {
  readonly db: Database;
  readonly cursors: Cursors;
}

export class Agents {
  readonly #options: AgentsOptions;

  constructor(options: AgentsOptions) {
    this.#options = options;
  }

  /** Those that are not archived. */
  async list(place: Place, request: PageRequest): Promise<Page<AgentResource>> {
    const { data, ...rest } = await listed<AgentRow>(
      this.#options,
      listing,
      place,
      request,
      row => row.agentId,
    );
    return { data: data.map(agentResource), ...rest };
  }

  /** Archived or not; undefined where the place has none such. */
  async find({ projectId, environmentId }: Place, agentId: string): Promise<AgentResource | undefined> {
    const [row] = await this.#options.db.query<AgentRow>(
      `select ${columns} from agents where agent_id = $1 and project_id = $2 and environment_id = $3`,
      [agentId, projectId, environmentId],
      'agents.find',
    );
    return row === undefined ? undefined : agentResource(row);
  }

  /** 422 for a loom that the environment does not have, 409 `svc/runtime/conflict` for one that is archived. */
  create(request: NewAgent): Promise<AgentResource> {
    const { projectId, environmentId, name, mode, loomId, metadata, now } = request;
    const at = new Date(now);
    return this.#options.db.em().transactional(async em => {
      await takeLoom(em, request, loomId);
      const row = em.create(Agent, {
        ...{ agentId: newId('agent', now), projectId, environmentId, name, mode, loomId, metadata },
        ...{ createdAt: at, updatedAt: at },
      });
      return told(em, request, row, 'created', { name });
    });
  }

  /** A change that changes nothing leaves no trace. 409 `svc/runtime/conflict` for an agent that is, and stays, archived. */
  update(change: AgentChange): Promise<AgentResource> {
    const { projectId, environmentId, agentId, changes, archived, now } = change;
    return this.#options.db.em().transactional(async em => {
      const lock = { lockMode: LockMode.PESSIMISTIC_WRITE };
      const row = await em.findOne(Agent, { agentId, projectId, environmentId }, lock);
      if (row === null) throw notFound();
      const wasArchived = (row.archivedAt ?? null) !== null;
      const fields = applyChanges<Partial<AgentEntity>>(row, changes);
      const isArchived = archived ?? wasArchived;
      if (isArchived !== wasArchived) {
        row.archivedAt = isArchived ? new Date(now) : null;
        fields.push('archived');
      }
      if (fields.length === 0) return shownOf(em, row);
      if (wasArchived && isArchived) {
        throw new ServiceError('svc/runtime/conflict', { message: 'The agent is archived.' });
      }
      // An archived agent lets go of its loom; one that comes back has to find it.
      if (!isArchived && (fields.includes('loomId') || wasArchived))
        await takeLoom(em, change, row.loomId ?? null);
      row.updatedAt = new Date(now);
      return told(em, change, row, 'updated', { fields: fields.sort() });
    });
  }
}

/** Holds the loom against being archived until the transaction ends. */
async function takeLoom(
  em: EntityManager,
  { projectId, environmentId }: Place,
  loomId: string | null,
): Promise<void> {
  if (loomId === null) return;
  const lock = { lockMode: LockMode.PESSIMISTIC_READ };
  const loom = await em.findOne(Loom, { loomId, projectId, environmentId }, lock);
  if (loom === null) {
    throw invalid([{ path: '/body/loomId', message: 'is no loom of the environment', code: 'reference' }]);
  }
  refuseArchived(loom);
}

/** Writes the change down, with its act and its event. */
async function told(
  em: EntityManager,
  deed: Deed,
  row: AgentEntity,
  verb: 'created' | 'updated',
  details: Readonly<Record<string, unknown>>,
): Promise<AgentResource> {
  await em.flush();
  const { projectId, environmentId, agentId: targetId } = row;
  await recordDeed(em, deed, { projectId, environmentId, action: `agent.${verb}`, targetId, details });
  const agent = await shownOf(em, row);
  const eventName: EventName = `agent.lifecycle.${verb}`;
  await appendEvents(em, [{ projectId, environmentId, eventName, data: { actor: deed.author, agent } }]);
  return agent;
}

async function shownOf(em: EntityManager, row: AgentEntity): Promise<AgentResource> {
  const { projectId, environmentId, loomId = null } = row;
  const loom = loomId === null ? null : await em.findOne(Loom, { loomId, projectId, environmentId });
  const activeLoomVersionId = loom?.activeVersionId ?? null;
  const version =
    activeLoomVersionId === null
      ? null
      : await em.findOne(LoomVersion, { loomVersionId: activeLoomVersionId, projectId, environmentId });
  return agentResource({ ...row, activeLoomVersionId, versionMode: version?.mode ?? null });
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
    metadata: row.metadata,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    archivedAt: row.archivedAt?.toISOString() ?? null,
  };
}
