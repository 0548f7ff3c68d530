/**
 * What a user is, asked within the transaction that depends on it. What a request was let in by may be a second old (access.ts): these
 * wait for a change of the workspace's members that is under way, and hold off the next until the commit.
 */
import { LockMode } from '@mikro-orm/core';
import type { InferEntity } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { notFound, ServiceError } from '../../protocol/errors.ts';
import type { Roles } from '../../protocol/operations/grants.ts';
import { ConsoleMember, Project, ProjectMember, Workspace, WorkspaceMember } from '../entities/tenancy.ts';
import { studioRoleOf } from './access.ts';

/**
 * `svc/runtime/not_found` for who is no member; for who is no owner or admin `denied`, by default `svc/auth/insufficient_scope`, which
 * not every operation answers.
 */
export async function requireAdmin(
  em: EntityManager,
  workspaceId: string,
  userId: string,
  denied = new ServiceError('svc/auth/insufficient_scope'),
): Promise<void> {
  await hold(em, workspaceId);
  const member = await em.findOne(WorkspaceMember, { workspaceId, userId });
  if (member === null) throw notFound();
  if (member.role === 'viewer') throw denied;
}

/** `svc/runtime/not_found` for who is nobody in the project. */
export async function rolesInProject(em: EntityManager, projectId: string, userId: string): Promise<Roles> {
  const project = await em.findOne(Project, { projectId });
  if (project === null) throw notFound();
  await hold(em, project.workspaceId);
  const roles = await rolesIn(em, project, userId);
  if (roles.studioRole === undefined && roles.consoleRole === undefined) throw notFound();
  return roles;
}

/** `svc/runtime/not_found` for who is nobody in the project, `svc/auth/insufficient_scope` for who is no developer there. */
export async function requireDeveloper(em: EntityManager, projectId: string, userId: string): Promise<void> {
  const { studioRole } = await rolesInProject(em, projectId, userId);
  if (studioRole === undefined || studioRole === 'viewer')
    throw new ServiceError('svc/auth/insufficient_scope');
}

async function rolesIn(
  em: EntityManager,
  { projectId, workspaceId }: InferEntity<typeof Project>,
  userId: string,
): Promise<Roles> {
  const member = await em.findOne(WorkspaceMember, { workspaceId, userId });
  const own = await em.findOne(ProjectMember, { projectId, userId });
  const operator = await em.findOne(ConsoleMember, { projectId, userId });
  const studioRole = studioRoleOf(member?.role ?? null, own?.role ?? null);
  return { studioRole, consoleRole: operator?.role };
}

/**
 * Whoever may change the Console members of a project: owners and admins, and its project_owners. Changes of one project's
 * members wait for each other here, each for the commit of the one before: its row is held alone. `svc/console/not_found` for who
 * is nobody in the project, `svc/console/forbidden` for everybody else.
 */
export async function requireConsoleAdmin(
  em: EntityManager,
  projectId: string,
  userId: string,
): Promise<InferEntity<typeof Project>> {
  const absent = new ServiceError('svc/console/not_found');
  const { workspaceId } = (await em.findOne(Project, { projectId })) ?? {};
  if (workspaceId === undefined) throw absent;
  // The workspace before the project, as everywhere.
  await hold(em, workspaceId);
  const project = await em.findOneOrFail(Project, { projectId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  const { studioRole, consoleRole } = await rolesIn(em, project, userId);
  if (studioRole === undefined && consoleRole === undefined) throw absent;
  if (studioRole !== 'owner' && studioRole !== 'admin' && consoleRole !== 'project_owner') {
    throw new ServiceError('svc/console/forbidden');
  }
  return project;
}

/** Whoever changes members holds the workspace's row alone (workspace-members.ts). */
async function hold(em: EntityManager, workspaceId: string): Promise<void> {
  await em.findOne(Workspace, { workspaceId }, { lockMode: LockMode.PESSIMISTIC_READ });
}
