/**
 * A user's roles, read inside the transaction that depends on them. The access cache may be a second old (access-cache.ts); these wait
 * for a change of the workspace's members that is in progress, and hold off the next until the commit.
 */
import { LockMode } from '@mikro-orm/core';
import type { InferEntity } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { type Roles, toStudioRole } from '../../protocol/operations/index.ts';
import type { WorkspaceRole } from '../../protocol/resources/index.ts';
import { ConsoleMember, Project, ProjectMember, Workspace, WorkspaceMember } from '../entities/index.ts';

/** Undefined where the user is no member of the workspace. */
export async function lockWorkspaceRole(
  em: EntityManager,
  workspaceId: string,
  userId: string,
): Promise<WorkspaceRole | undefined> {
  await lockWorkspace(em, workspaceId);
  const member = await em.findOne(WorkspaceMember, { workspaceId, userId });
  return member?.role;
}

/** Undefined where there is no such project, or the user has no role in it. */
export async function lockProjectRoles(
  em: EntityManager,
  projectId: string,
  userId: string,
): Promise<Roles | undefined> {
  const project = await em.findOne(Project, { projectId });
  if (project === null) return undefined;
  await lockWorkspace(em, project.workspaceId);
  return readRoles(em, project, userId);
}

/** A project that is locked for changes, and the user's roles in it. */
export interface LockedProject {
  readonly workspaceId: string;
  readonly roles: Roles | undefined;
}

/**
 * Locks the project's row alone: changes of one project's Console members wait here, each for the commit of the one before. Undefined
 * where there is no such project.
 */
export async function lockProject(
  em: EntityManager,
  projectId: string,
  userId: string,
): Promise<LockedProject | undefined> {
  const { workspaceId } = (await em.findOne(Project, { projectId })) ?? {};
  if (workspaceId === undefined) return undefined;
  // The workspace before the project, as everywhere.
  await lockWorkspace(em, workspaceId);
  const project = await em.findOneOrFail(Project, { projectId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  return { workspaceId, roles: await readRoles(em, project, userId) };
}

async function readRoles(
  em: EntityManager,
  { projectId, workspaceId }: InferEntity<typeof Project>,
  userId: string,
): Promise<Roles | undefined> {
  const member = await em.findOne(WorkspaceMember, { workspaceId, userId });
  const own = await em.findOne(ProjectMember, { projectId, userId });
  const operator = await em.findOne(ConsoleMember, { projectId, userId });
  const studioRole = toStudioRole(member?.role ?? null, own?.role ?? null);
  const consoleRole = operator?.role;
  return studioRole === undefined && consoleRole === undefined ? undefined : { studioRole, consoleRole };
}

/** A change of the members locks the workspace's row alone (workspace-members.ts). */
async function lockWorkspace(em: EntityManager, workspaceId: string): Promise<void> {
  await em.findOne(Workspace, { workspaceId }, { lockMode: LockMode.PESSIMISTIC_READ });
}
