/**
 * How tenants begin: a workspace has an owner and a default project; a project has a sandbox environment, the stream that
 * numbers its events, and its founder as Console project_owner. All inside the caller's unit of work.
 */
import type { EntityManager } from '@mikro-orm/postgresql';
import { randomUUID } from 'node:crypto';
import { newId } from '../../protocol/ids.ts';
import { ProjectStream } from '../entities/events.ts';
import { ConsoleMember, Environment, Project, Workspace, WorkspaceMember } from '../entities/tenancy.ts';

/** Who founds what. */
export interface Founding {
  readonly name: string;
  /** Becomes owner of the workspace, project_owner of the project. */
  readonly userId: string;
  readonly now: Date;
}

/** What a project is called when nobody has named it. */
export const defaultProjectName = 'Default project';

/** Adds a workspace, its owner and its default project to the unit of work. */
export function foundWorkspace(em: EntityManager, founding: Founding) {
  const { name, userId, now } = founding;
  const stamps = { createdAt: now, updatedAt: now };
  const workspace = em.create(Workspace, { workspaceId: newId('workspace', now.getTime()), name, ...stamps });
  const { workspaceId } = workspace;
  em.create(WorkspaceMember, { workspaceId, userId, role: 'owner', ...stamps });
  const project = foundProject(em, { workspaceId, name: defaultProjectName, userId, now });
  return { workspace, project };
}

/** Adds a project with its sandbox and its event stream to the unit of work. */
export function foundProject(em: EntityManager, founding: Founding & { readonly workspaceId: string }) {
  const { workspaceId, name, userId, now } = founding;
  const stamps = { createdAt: now, updatedAt: now };
  const project = em.create(Project, {
    projectId: newId('project', now.getTime()),
    workspaceId,
    name,
    ...stamps,
  });
  const { projectId } = project;
  em.create(ProjectStream, { projectId, lastSeq: 0, epoch: randomUUID() });
  em.create(ConsoleMember, { projectId, userId, role: 'project_owner', ...stamps });
  em.create(Environment, {
    environmentId: newId('environment', now.getTime()),
    projectId,
    kind: 'sandbox',
    name: 'sandbox',
    ...stamps,
  });
  return project;
}
