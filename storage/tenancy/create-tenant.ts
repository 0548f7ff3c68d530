/**
 * What a new tenant consists of. A workspace has an owner and a default project; a project has a sandbox environment, the stream that
 * numbers its events, and its creator as Console project_owner. All is added to the caller's unit of work.
 */
import type { EntityManager } from '@mikro-orm/postgresql';
import { randomUUID } from 'node:crypto';
import { newId } from '../../protocol/ids.ts';
import {
  ConsoleMember,
  Environment,
  Project,
  ProjectStream,
  Workspace,
  WorkspaceMember,
} from '../entities/index.ts';

export interface NewTenant {
  readonly name: string;
  /** Becomes owner of the workspace, project_owner of the project. */
  readonly userId: string;
  readonly now: Date;
}

/** The name of a project that nobody has named. */
export const defaultProjectName = 'Default project';

/** Adds a workspace, its owner and its default project to the unit of work. */
export function addWorkspace(em: EntityManager, tenant: NewTenant) {
  const { name, userId, now } = tenant;
  const stamps = { createdAt: now, updatedAt: now };
  const workspace = em.create(Workspace, { workspaceId: newId('workspace', now.getTime()), name, ...stamps });
  const { workspaceId } = workspace;
  em.create(WorkspaceMember, { workspaceId, userId, role: 'owner', ...stamps });
  const project = addProject(em, { workspaceId, name: defaultProjectName, userId, now });
  return { workspace, project };
}

/** Adds a project with its sandbox and its event stream to the unit of work. */
export function addProject(em: EntityManager, tenant: NewTenant & { readonly workspaceId: string }) {
  const { workspaceId, name, userId, now } = tenant;
  const stamps = { createdAt: now, updatedAt: now };
  const project = em.create(Project, {
    projectId: newId('project', now.getTime()),
    workspaceId,
    name,
    assignmentMode: 'off',
    maxOpenThreads: 20,
    ...stamps,
  });
  const { projectId } = project;
  em.create(ProjectStream, { projectId, era: 0, lastSeq: 0, epoch: randomUUID() });
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
