/**
 * Workspaces, projects, environments, members, invitations and the credentials of tenants: rows and the transactions that change
 * them, with their audit entries and events.
 */
export { CannedReplies, type CannedReplyChange, findCannedReplyProject } from './canned-replies.ts';
export { type ProjectAccount, ProjectAccounts } from './project-accounts.ts';
export { ArchivedProjects, listRestoredStitches } from './archived-projects.ts';
export { AccessCache, type ProjectAccess, type WorkspaceAccess } from './access-cache.ts';
export { keyResource } from './api-key-row.ts';
export {
  ApiKeys,
  environmentKinds,
  type KeyChange,
  type KeyGrant,
  type KeyUse,
  type NewKey,
} from './api-keys.ts';
export { ConsoleMembers, type MemberChange, memberResource } from './console-members.ts';
export { addWorkspace } from './create-tenant.ts';
export {
  type CheckedCredentials,
  type CheckedMember,
  findRevokedCredentials,
  type RevokedCredentials,
  toChangedKey,
  toMemberKey,
  toRolesKey,
} from './credential-check.ts';
export { Environments } from './environments.ts';
export {
  type InvitationMail,
  invitationResource,
  Invitations,
  invitationTokenHash,
  revokeInvitations,
} from './invitations.ts';
export {
  findPartnerAppSecrets,
  isVerifyToken,
  type PartnerAppChange,
  PartnerApps,
  type PartnerAppSecrets,
} from './partner-apps.ts';
export {
  type FreeOperator,
  listAssigningProjects,
  listFreeOperators,
  listProjectEnvironments,
  moveTurns,
  noteOperators,
  type OnlineOperator,
} from './operators.ts';
export { ProjectMembers } from './project-members.ts';
export { Projects } from './projects.ts';
export { removeSingleSignOn, revokeGrants } from './revoke-grants.ts';
export type { MemberChangeFacts, TenancyRefusal, TenancyRules, UsingChannel } from './rules.ts';
export { StreamTickets, ticketSeconds } from './tickets.ts';
export { createProjectEvents, createWorkspaceEvents, type ProjectChange } from './workspace-events.ts';
export { type MembershipChange, removeMember, WorkspaceMembers } from './workspace-members.ts';
export { Workspaces } from './workspaces.ts';
