/**
 * Who may do what in workspaces and projects (docs/contract-decisions.md, "Who may do what"), and the errors that answer a change which
 * is not allowed. Storage asks these rules inside its transactions, with the roles that it has locked (storage/tenancy/rules.ts), so they
 * hold however many changes are made at once.
 */
import { conflict, notFound, preconditionFailed, ServiceError } from '../../protocol/errors.ts';
import type { Scope } from '../../protocol/operation.ts';
import { access, listForbiddenScopes, type Roles } from '../../protocol/operations/index.ts';
import type { KeyEnvironment, WorkspaceRole } from '../../protocol/resources/index.ts';
import {
  environmentKinds,
  type MemberChangeFacts,
  type TenancyRefusal,
  type TenancyRules,
} from '../../storage/tenancy/index.ts';

/** The error of each refusal. A new one for each, since an error holds the stack of its request. */
const refusals: Readonly<Record<TenancyRefusal, () => ServiceError>> = {
  absent: notFound,
  changed: preconditionFailed,
  console_member_absent: () => new ServiceError('svc/console/not_found'),
  second_factor_missing: () => conflict('Set up a second factor of your own first: you would be shut out.'),
  sso_absent: () => conflict('The workspace has no identity provider: set it first.'),
  sso_secret_missing: () => conflict('Another identity provider takes its client secret.'),
  too_many_domains: () => conflict('A workspace has 20 domains at most: remove one first.'),
  domain_taken: () => conflict('Another workspace has proven that it has the domain.'),
  domain_unproven: () => conflict('Prove first that the workspace has the domain.'),
  owner_is_self: () => conflict('Ownership is handed over to another member: you have it.'),
  user_absent: () => notFound('/body/userId'),
  project_user_is_admin: () =>
    conflict('The user is owner or admin of the workspace, and so a developer in every project.'),
  console_user_absent: () => {
    const { message, details = {} } = notFound('/body/userId');
    return new ServiceError('svc/console/not_found', { message, details });
  },
  production_exists: () => conflict('The project already has a production environment.'),
  address_is_member: () => conflict('The address already belongs to a member.'),
  invitation_open: () => conflict('The address has an invitation that is still open: revoke it first.'),
  partner_app_revoked: () => conflict('The partner app is revoked.'),
};

export const tenancyRules: TenancyRules = {
  isAdmin,
  requireAdmin,
  requireOwner,
  requireInvitationAdmin,
  requireProjectAdmin,
  requireDeveloper,
  requireConsoleAdmin,
  requireKeyCreation,
  requireKeyRotation,
  requireMemberChange,
  noKeyEnvironment,
  shortcutTaken: cannedReplyId =>
    conflict('Another canned reply has the shortcut.', cannedReplyId === undefined ? {} : { cannedReplyId }),
  partnerAppInUse: channels =>
    new ServiceError('svc/partner_app/in_use', { details: { channels: [...channels] } }),
  refuse: reason => refusals[reason](),
};

/** Owners and admins administer a workspace. */
function isAdmin(role: WorkspaceRole | undefined): boolean {
  return role === 'owner' || role === 'admin';
}

/** 404 for a user who is no member, 403 for a member who is no admin. */
function requireAdmin(role: WorkspaceRole | undefined): void {
  if (role === undefined) throw notFound();
  if (!isAdmin(role)) throw lacksRole('owner or admin of the workspace');
}

function requireOwner(role: WorkspaceRole | undefined): void {
  if (role === undefined) throw notFound();
  if (role !== 'owner') throw lacksRole('owner of the workspace');
}

function requireInvitationAdmin(role: WorkspaceRole | undefined): void {
  if (!isAdmin(role)) throw notFound();
}

/** 404 for a user without a role in the project, 403 for one who does not administer its workspace. */
function requireProjectAdmin(roles: Roles | undefined): void {
  if (roles === undefined) throw notFound();
  if (!isAdmin(toWorkspaceRole(roles))) throw lacksRole('owner or admin of the workspace');
}

/** 404 for a user without a role in the project, 403 for one who is no developer there. */
function requireDeveloper(roles: Roles | undefined): void {
  if (roles === undefined) throw notFound();
  const { studioRole } = roles;
  if (studioRole === undefined || studioRole === 'viewer') throw lacksRole('developer');
}

/** Owners and admins of the workspace, and the project's own project_owners, change its Console members. */
function requireConsoleAdmin(roles: Roles | undefined): void {
  if (roles === undefined) throw new ServiceError('svc/console/not_found');
  if (!isAdmin(toWorkspaceRole(roles)) && roles.consoleRole !== 'project_owner') {
    throw new ServiceError('svc/console/forbidden');
  }
}

function toWorkspaceRole({ studioRole }: Roles): WorkspaceRole | undefined {
  return studioRole === 'developer' ? undefined : studioRole;
}

/** A key is no way to what its maker could not do. */
function requireKeyCreation(roles: Roles | undefined, scopes: readonly Scope[]): void {
  if (roles === undefined) throw notFound();
  if (!mayWriteKeys(roles)) throw lacksRole('developer');
  const withheld = listForbiddenScopes(roles, scopes);
  if (withheld.length === 0) return;
  const message = `Your role may not give a key ${withheld.join(', ')}${scopes.includes('*') ? ', which * includes' : ''}.`;
  throw new ServiceError('svc/auth/insufficient_scope', { message });
}

/** A key that the user may not rotate reads as absent. */
function requireKeyRotation(roles: Roles | undefined, scopes: readonly Scope[]): void {
  if (roles === undefined || !mayWriteKeys(roles) || listForbiddenScopes(roles, scopes).length > 0)
    throw notFound();
}

function mayWriteKeys({ studioRole }: Roles): boolean {
  return studioRole !== undefined && (access.writeKeys.studio as readonly string[]).includes(studioRole);
}

/** Only owners make, change or remove owners; a workspace must have an owner; anyone else may leave. */
function requireMemberChange(facts: MemberChangeFacts): void {
  const { actingRole, memberRole, newRole, isSelf, isLastOwner } = facts;
  if (actingRole === undefined) throw notFound();
  const leaves = newRole === undefined && isSelf;
  if (!isAdmin(actingRole) && !leaves) throw lacksRole('owner or admin of the workspace');
  if (memberRole === undefined) throw notFound();
  if (actingRole !== 'owner' && (memberRole === 'owner' || newRole === 'owner')) {
    const message = 'Only an owner makes, changes or removes owners.';
    throw new ServiceError('svc/auth/insufficient_scope', { message });
  }
  if (isLastOwner) throw conflict('A workspace must have an owner: hand the ownership over first.');
}

function noKeyEnvironment(environment: KeyEnvironment): ServiceError {
  const message = `The project has no ${environmentKinds[environment]} environment: create it first.`;
  return new ServiceError('svc/validation/invalid_request', {
    message,
    details: { issues: [{ path: '/body/environment', message, code: 'environment' }] },
  });
}

function lacksRole(needed: string): ServiceError {
  const message = `Your role does not allow this: it takes ${needed}.`;
  return new ServiceError('svc/auth/insufficient_scope', { message });
}
