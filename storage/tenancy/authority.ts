/**
 * What a user is, asked within the transaction that depends on it. What a request was let in by may be a second old (access.ts): these
 * wait for a change of the workspace's members that is under way, and hold off the next until the commit.
 */
import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { notFound, ServiceError } from '../../protocol/errors.ts';
import type { Roles } from '../../protocol/operations/grants.ts';
import { ConsoleMember, Project, ProjectMember, Workspace, WorkspaceMember } from '../entities/tenancy.ts';
import { studioRoleOf } from './access.ts';

/** `svc/runtime/not_found` for who is no member, `svc/auth/insufficient_scope` for who is no owner or admin. */
export async function requireAdmin(em: EntityManager, workspaceId: string, userId: string): Promise<void> {
  await hold(em, workspaceId);
  const member = await em.findOne(WorkspaceMember, { workspaceId, userId });
  if (member === null) throw notFound();
  if (member.role === 'viewer') throw new ServiceError('svc/auth/insufficient_scope');
}

/** `svc/runtime/not_found` for who is nobody in the project. */
export async function rolesInProject(em: EntityManager, projectId: string, userId: string): Promise<Roles> {
  const project = await em.findOne(Project, { projectId });
  if (project === null) throw notFound();
  const { workspaceId } = project;
  await hold(em, workspaceId);
  const member = await em.findOne(WorkspaceMember, { workspaceId, userId });
  const own = await em.findOne(ProjectMember, { projectId, userId });
  const operator = await em.findOne(ConsoleMember, { projectId, userId });
  const studioRole = studioRoleOf(member?.role ?? null, own?.role ?? null);
  const consoleRole = operator?.role;
  if (studioRole === undefined && consoleRole === undefined) throw notFound();
  return { studioRole, consoleRole };
}

/** Whoever changes members holds the workspace's row alone (workspace-members.ts). */
async function hold(em: EntityManager, workspaceId: string): Promise<void> {
  await em.findOne(Workspace, { workspaceId }, { lockMode: LockMode.PESSIMISTIC_READ });
}
