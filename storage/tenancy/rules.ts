/**
 * What storage asks of its caller inside a transaction. Storage reads and locks the rows; who may change them, and which error
 * answers a change that the rows do not allow, is decided by the implementation (gateway/tenancy). A rule that refuses throws, and
 * its error rolls the transaction back.
 *
 * The rules are asked inside the transaction although the request was authorised before, because that may be a second old: the roles
 * that they are given are locked, so a change of the members waits, or is seen.
 */
import type { Scope } from '../../protocol/operation.ts';
import type { Roles } from '../../protocol/operations/index.ts';
import type { KeyEnvironment, WorkspaceRole } from '../../protocol/resources/index.ts';

/** A change of a member of a workspace, as the locked rows show it. */
export interface MemberChangeFacts {
  /** Of whoever makes the change; undefined where they are no member. */
  readonly actingRole: WorkspaceRole | undefined;
  /** Of the member; undefined where there is none. */
  readonly memberRole: WorkspaceRole | undefined;
  /** Undefined: the member is removed. */
  readonly newRole: WorkspaceRole | undefined;
  readonly isSelf: boolean;
  /** Whether the workspace would have no owner left. */
  readonly isLastOwner: boolean;
}

/** Why the rows do not allow a change. */
export type TenancyRefusal =
  | 'absent'
  /** If-Match names another state of it. */
  | 'changed'
  | 'console_member_absent'
  /** The workspace has no such user to be given a role, or to be its owner. */
  | 'user_absent'
  /** An owner or admin of the workspace, who needs no role in a project. */
  | 'project_user_is_admin'
  /** Ownership is handed over to somebody else. */
  | 'owner_is_self'
  /** Who demands a second factor of others has none. */
  | 'second_factor_missing'
  /** The workspace has no identity provider. */
  | 'sso_absent'
  /** A new identity provider, and no secret for it. */
  | 'sso_secret_missing'
  | 'too_many_domains'
  /** Another workspace has proven the domain. */
  | 'domain_taken'
  | 'domain_unproven'
  /** The workspace has no such user to become a Console member. */
  | 'console_user_absent'
  | 'production_exists'
  | 'address_is_member'
  | 'invitation_open'
  | 'partner_app_revoked';

/** A channel that is connected by a partner app. */
export interface UsingChannel {
  readonly channelId: string;
  readonly projectId: string;
  readonly environmentId: string;
  readonly name: string;
}

export interface TenancyRules {
  /** Whether the role administers a workspace; undefined: the user is no member. */
  isAdmin(role: WorkspaceRole | undefined): boolean;
  /** Throws unless the role administers the workspace. */
  requireAdmin(role: WorkspaceRole | undefined): void;
  /** Throws unless the role is that of an owner. */
  requireOwner(role: WorkspaceRole | undefined): void;
  /** The same for revoking an invitation, which answers 404 only. */
  requireInvitationAdmin(role: WorkspaceRole | undefined): void;
  /** Throws unless the roles allow to administer the project's workspace; undefined: the user has none there. */
  requireProjectAdmin(roles: Roles | undefined): void;
  /** Throws unless the roles allow to develop in the project; undefined: the user has none there. */
  requireDeveloper(roles: Roles | undefined): void;
  /** Throws unless the roles allow to change the Console members of the project. */
  requireConsoleAdmin(roles: Roles | undefined): void;
  /** Throws unless somebody with the roles may make a key with the scopes. */
  requireKeyCreation(roles: Roles | undefined, scopes: readonly Scope[]): void;
  /** Throws unless somebody with the roles may have the secret of a key with the scopes. */
  requireKeyRotation(roles: Roles | undefined, scopes: readonly Scope[]): void;
  requireMemberChange(facts: MemberChangeFacts): void;
  /** The error for a project that has no environment for such a key. */
  noKeyEnvironment(environment: KeyEnvironment): Error;
  /** The error for a shortcut that another canned reply of the project has; undefined: it is gone by now. */
  shortcutTaken(cannedReplyId: string | undefined): Error;
  /** The error for a partner app that channels use: some of them, newest first. */
  partnerAppInUse(channels: readonly UsingChannel[]): Error;
  refuse(reason: TenancyRefusal): Error;
}
