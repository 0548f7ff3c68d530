/**
 * Events of a workspace (docs/contract-decisions.md, "Events"). Every event belongs to one project and environment, and a workspace is
 * neither: its events appear in its oldest project, in the sandbox.
 */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { EventName } from '../../protocol/events.ts';
import { Environment, Project } from '../entities/index.ts';
import type { NewEvent } from '../events/index.ts';

/** The event of a change that a user has made; to be appended in the same transaction. */
export async function createWorkspaceEvent(
  em: EntityManager,
  workspaceId: string,
  byUserId: string,
  eventName: EventName,
  data: Readonly<Record<string, unknown>>,
): Promise<NewEvent> {
  const { projectId } = await em.findOneOrFail(Project, { workspaceId }, { orderBy: { projectId: 'asc' } });
  const { environmentId } = await em.findOneOrFail(Environment, { projectId, kind: 'sandbox' });
  return { projectId, environmentId, eventName, data: { actor: { type: 'user', id: byUserId }, ...data } };
}

/** The id of the sandbox of each project. */
export async function findSandboxes(
  em: EntityManager,
  projectIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await em.find(Environment, { projectId: { $in: [...projectIds] }, kind: 'sandbox' });
  return new Map(rows.map(row => [row.projectId, row.environmentId]));
}
