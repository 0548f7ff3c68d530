import Type from 'typebox';
import type { Static } from 'typebox';
import { ApiKey } from './api-key.ts';
import { consoleRoles } from './console.ts';
import {
  body,
  choice,
  emailAddress,
  id,
  instant,
  nullable,
  optional,
  resource,
  restored,
  text,
} from './fields.ts';
import { avatarColors } from './profile.ts';
import { projectRoles, workspaceRoles } from './studio.ts';

export const Workspace = resource('Workspace', {
  workspaceId: id('workspace'),
  name: text(1, 256),
  createdAt: instant(),
  updatedAt: instant(),
  archivedAt: optional(nullable(instant())),
  requiresSecondFactor: Type.Boolean(),
});
export type Workspace = Static<typeof Workspace>;

export const CreateWorkspaceBody = body('CreateWorkspaceBody', { name: text(1, 256) });
export type CreateWorkspaceBody = Static<typeof CreateWorkspaceBody>;

export const UpdateWorkspaceBody = body('UpdateWorkspaceBody', {
  name: optional(text(1, 256)),
  archived: restored(),
  requiresSecondFactor: optional(Type.Boolean()),
});
export type UpdateWorkspaceBody = Static<typeof UpdateWorkspaceBody>;

export const TransferWorkspaceBody = body('TransferWorkspaceBody', { userId: id('user') });
export type TransferWorkspaceBody = Static<typeof TransferWorkspaceBody>;

export const WorkspaceInvitation = resource('WorkspaceInvitation', {
  invitationId: id('invitation'),
  workspaceId: id('workspace'),
  email: Type.String(),
  studioRole: choice(workspaceRoles),
  consoleRole: choice(consoleRoles),
  invitedByUserId: id('user'),
  expiresAt: instant(),
  acceptedAt: optional(nullable(instant())),
  revokedAt: optional(nullable(instant())),
  createdAt: instant(),
});
export type WorkspaceInvitation = Static<typeof WorkspaceInvitation>;

/** A person cannot be invited as owner; an owner can make a member one. */
export const invitedRoles = ['admin', 'viewer'] as const;

/** By default `consoleRole` is project_owner for an admin and viewer for a viewer. */
export const CreateInvitationBody = body('CreateInvitationBody', {
  email: emailAddress(),
  studioRole: optional(choice(invitedRoles, { default: 'admin' })),
  consoleRole: optional(choice(consoleRoles)),
});
export type CreateInvitationBody = Static<typeof CreateInvitationBody>;

/** A role that a member of a workspace has in one of its projects. */
export const MemberProjectRole = resource('MemberProjectRole', {
  projectId: id('project'),
  role: choice(projectRoles),
});
export type MemberProjectRole = Static<typeof MemberProjectRole>;

/** Roles in projects that a member of a workspace is shown with. */
export const maxMemberProjectRoles = 100;

export const WorkspaceMember = resource('WorkspaceMember', {
  workspaceId: id('workspace'),
  userId: id('user'),
  email: Type.String(),
  displayName: Type.String(),
  avatarColor: nullable(choice(avatarColors)),
  role: choice(workspaceRoles),
  projectRoles: Type.Array(MemberProjectRole, { maxItems: maxMemberProjectRoles }),
  createdAt: instant(),
  updatedAt: instant(),
});
export type WorkspaceMember = Static<typeof WorkspaceMember>;

/** The answer to the removal of a member: keys whose secrets they may know. */
export const RemovedMember = resource('RemovedMember', {
  /** Not revoked, and made by the member: the newest 100. */
  apiKeys: Type.Array(ApiKey),
});
export type RemovedMember = Static<typeof RemovedMember>;

export const UpdateWorkspaceMemberBody = body('UpdateWorkspaceMemberBody', { role: choice(workspaceRoles) });
export type UpdateWorkspaceMemberBody = Static<typeof UpdateWorkspaceMemberBody>;
