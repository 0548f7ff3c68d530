/**
 * Takes back what the owner of workspaces has given out: API keys, invitations, partner apps, single sign-on, and the memberships of everybody
 * else. Anybody can sign up with a stranger's address; when the stranger proves it, nobody but they may have a way in that was made before.
 */
import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { recordUserAction, type UserAuditContext } from '../audit/index.ts';
import {
  ApiKey,
  PartnerApp,
  Project,
  SsoConnection,
  SsoDomain,
  Workspace,
  WorkspaceMember,
} from '../entities/index.ts';
import type { NewEvent } from '../events/index.ts';
import { revokeKey } from './api-keys.ts';
import { revokeInvitations } from './invitations.ts';
import { revokePartnerApp } from './partner-apps.ts';
import { removeMember } from './workspace-members.ts';

/**
 * Of all workspaces that the user owns; resolves to the events of that. Call it inside a transaction that has locked the user, and append the
 * events there, last.
 */
export async function revokeGrants(em: EntityManager, audit: UserAuditContext): Promise<NewEvent[]> {
  const owned = await em.find(
    WorkspaceMember,
    { userId: audit.byUserId, role: 'owner' },
    { orderBy: { workspaceId: 'asc' } },
  );
  const events: NewEvent[] = [];
  for (const { workspaceId } of owned) events.push(...(await revokeIn(em, workspaceId, audit)));
  return events;
}

async function revokeIn(
  em: EntityManager,
  workspaceId: string,
  audit: UserAuditContext,
): Promise<NewEvent[]> {
  const lock = { lockMode: LockMode.PESSIMISTIC_WRITE } as const;
  // Whoever makes a member, an invitation or a key waits here, or is seen below.
  await em.findOneOrFail(Workspace, { workspaceId }, lock);
  const others = await em.find(
    WorkspaceMember,
    { workspaceId, userId: { $ne: audit.byUserId } },
    { orderBy: { userId: 'asc' } },
  );
  const events: NewEvent[] = [];
  for (const member of others) events.push(...(await removeMember(em, member, audit)));
  events.push(...(await revokeInvitations(em, { workspaceId }, audit)));
  const projects = await em.find(Project, { workspaceId }, { fields: ['projectId'] });
  const projectId = { $in: projects.map(project => project.projectId) };
  const keys = await em.find(
    ApiKey,
    { projectId, status: { $ne: 'revoked' } },
    { ...lock, orderBy: { apiKeyId: 'asc' } },
  );
  for (const key of keys) events.push(await revokeKey(em, key, audit));
  const apps = await em.find(
    PartnerApp,
    { workspaceId, status: 'active' },
    { ...lock, orderBy: { partnerAppCredentialId: 'asc' } },
  );
  for (const app of apps) await revokePartnerApp(em, app, audit);
  // Else whoever their provider vouches for would become a member.
  await removeSingleSignOn(em, workspaceId, audit);
  return events;
}

/** Removes the identity provider of a workspace, and its domains with what they demand. Inside a transaction that has locked the workspace. */
export async function removeSingleSignOn(
  em: EntityManager,
  workspaceId: string,
  audit: UserAuditContext,
): Promise<void> {
  const providers = await em.nativeDelete(SsoConnection, { workspaceId });
  const domains = await em.nativeDelete(SsoDomain, { workspaceId });
  if (providers + domains === 0) return;
  const act = { workspaceId, action: 'single_sign_on.removed', targetId: workspaceId, details: {} } as const;
  await recordUserAction(em, audit, act);
}
