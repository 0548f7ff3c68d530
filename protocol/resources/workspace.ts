import Type from 'typebox';
import type { Static } from 'typebox';
import { body, choice, emailAddress, id, instant, nullable, optional, resource, text } from './fields.ts';
import { consoleRoles } from './console.ts';
import { workspaceRoles } from './studio.ts';

export const Workspace = resource('Workspace', {
  workspaceId: id('workspace'),
  name: text(1, 256),
  createdAt: instant(),
  updatedAt: instant(),
  archivedAt: optional(nullable(instant())),
});
export type Workspace = Static<typeof Workspace>;

export const CreateWorkspaceBody = body('CreateWorkspaceBody', { name: text(1, 256) });
export type CreateWorkspaceBody = Static<typeof CreateWorkspaceBody>;

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

/** Nobody is invited as owner: an owner makes a member one. */
export const invitedRoles = ['admin', 'viewer'] as const;

/** `consoleRole` is by default project_owner for an admin and viewer for a viewer. */
export const CreateInvitationBody = body('CreateInvitationBody', {
  email: emailAddress(),
  studioRole: optional(choice(invitedRoles, { default: 'admin' })),
  consoleRole: optional(choice(consoleRoles)),
});
export type CreateInvitationBody = Static<typeof CreateInvitationBody>;
