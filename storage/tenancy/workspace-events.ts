/**
 * Events of a workspace (decisions section 7). Every event is of one project and environment, and a workspace is neither: its
 * events are told in its oldest project, in the sandbox.
 */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { EventName } from '../../protocol/events.ts';
import { Environment, Project } from '../entities/tenancy.ts';
import type { NewEvent } from '../events.ts';

/** The event of a workspace, done by a user; to be appended in the same transaction. */
export async function workspaceEvent(
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

/** The sandbox of each project. */
export async function sandboxesOf(
  em: EntityManager,
  projectIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await em.find(Environment, { projectId: { $in: [...projectIds] }, kind: 'sandbox' });
  return new Map(rows.map(row => [row.projectId, row.environmentId]));
}
