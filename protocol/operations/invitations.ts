/** Invitations to a workspace (specification, "Workspace, project, environment, invitation operations"). */
import Type from 'typebox';
import type { Operation } from '../operation.ts';
import { id } from '../resources/fields.ts';
import { listOf, ListQuery } from '../resources/list.ts';
import { CreateInvitationBody, WorkspaceInvitation } from '../resources/workspace.ts';
import { absent, access, always, checked, forbidden, paged, repeatable, signedIn } from './rules.ts';

const tag = 'Invitations';
const oneWorkspace = Type.Object({ workspaceId: id('workspace') });

export const invitationOperations = {
  createInvitation: {
    method: 'POST',
    path: '/workspaces/{workspaceId}/invitations',
    tag,
    summary: 'Invite somebody to a workspace by e-mail',
    description:
      'The invitation works once, for 7 days. An address that is a member, or has an invitation that is still open, is a conflict.',
    auth: 'user',
    access: access.administer,
    params: oneWorkspace,
    body: CreateInvitationBody,
    success: { status: 201, body: WorkspaceInvitation },
    errors: [
      ...always,
      ...checked,
      ...signedIn,
      ...forbidden,
      ...absent,
      ...repeatable,
      'svc/runtime/conflict',
      'svc/auth/email_domain_not_allowed',
    ],
    rate: 'invitation',
    idempotency: 'accepted',
  },
  listInvitations: {
    method: 'GET',
    path: '/workspaces/{workspaceId}/invitations',
    tag,
    summary: "List a workspace's invitations, pending and past, newest first",
    auth: 'user',
    access: access.readWorkspace,
    params: oneWorkspace,
    query: ListQuery,
    success: { status: 200, body: listOf(WorkspaceInvitation) },
    errors: [...always, ...paged, ...signedIn, ...absent],
    rate: 'read',
    idempotency: 'none',
  },
  revokeInvitation: {
    method: 'DELETE',
    path: '/workspaces/{workspaceId}/invitations/{invitationId}',
    tag,
    summary: 'Revoke an invitation; once more changes nothing, one that was accepted is not found',
    auth: 'user',
    access: access.administer,
    params: Type.Object({ workspaceId: id('workspace'), invitationId: id('invitation') }),
    success: { status: 204, body: null },
    errors: [...always, ...checked, ...signedIn, ...absent],
    rate: 'write',
    idempotency: 'none',
  },
} as const satisfies Record<string, Operation>;
