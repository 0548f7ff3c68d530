/**
 * Events of changes that concern more than an environment (docs/contract-decisions.md, "Events"). An event belongs to one environment of one
 * project. A change of a whole project is an event in each of its environments, so that the stitches of all of them learn of it; one of a
 * workspace is a change of its oldest project.
 */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { EventName } from '../../protocol/events.ts';
import { Environment, Project } from '../entities/index.ts';
import type { NewEvent } from '../events/index.ts';

/** A change of a whole project. */
export type ProjectChange = Omit<NewEvent, 'environmentId'>;

/** The events of a change of the workspace that a user has made; to be appended in the same transaction. */
export async function createWorkspaceEvents(
  em: EntityManager,
  workspaceId: string,
  byUserId: string,
  eventName: EventName,
  data: Readonly<Record<string, unknown>>,
): Promise<NewEvent[]> {
  const { projectId } = await em.findOneOrFail(Project, { workspaceId }, { orderBy: { projectId: 'asc' } });
  return createProjectEvents(em, byUserId, [{ projectId, eventName, data }]);
}

/** The events of changes that a user has made; to be appended in the same transaction. */
export async function createProjectEvents(
  em: EntityManager,
  byUserId: string,
  changes: readonly ProjectChange[],
): Promise<NewEvent[]> {
  const projectId = { $in: changes.map(change => change.projectId) };
  // Ids ascend with time: the sandbox comes first.
  const rows = await em.find(Environment, { projectId }, { orderBy: { environmentId: 'asc' } });
  const environments = Map.groupBy(rows, row => row.projectId);
  const actor = { type: 'user', id: byUserId };
  return changes.flatMap(({ data, ...change }) =>
    (environments.get(change.projectId) ?? []).map(({ environmentId }) => ({
      ...change,
      environmentId,
      data: { actor, ...data },
    })),
  );
}
