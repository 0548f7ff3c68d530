/** Invitations to a workspace. */
import Type from 'typebox';
import type { Operation } from '../operation.ts';
import { CreateInvitationBody, id, createList, ListQuery, WorkspaceInvitation } from '../resources/index.ts';
import {
  absent,
  access,
  always,
  checked,
  forbidden,
  paged,
  repeatable,
  signedIn,
  verified,
} from './rules.ts';

const tag = 'Invitations';
const oneWorkspace = Type.Object({ workspaceId: id('workspace') });

export const invitationOperations = {
  createInvitation: {
    method: 'POST',
    path: '/workspaces/{workspaceId}/invitations',
    tag,
    summary: 'Invite a person to a workspace by e-mail',
    description:
      "The invitation works once, for 7 days. It is a conflict when the address belongs to a member or has a pending invitation. The inviter's own address has to be verified.",
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
      ...verified,
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
    success: { status: 200, body: createList(WorkspaceInvitation) },
    errors: [...always, ...paged, ...signedIn, ...absent],
    rate: 'read',
    idempotency: 'none',
  },
  revokeInvitation: {
    method: 'DELETE',
    path: '/workspaces/{workspaceId}/invitations/{invitationId}',
    tag,
    summary: 'Revoke an invitation; repeating it changes nothing, and an accepted one is not found',
    auth: 'user',
    access: access.administer,
    params: Type.Object({ workspaceId: id('workspace'), invitationId: id('invitation') }),
    success: { status: 204, body: null },
    errors: [...always, ...checked, ...signedIn, ...absent],
    rate: 'write',
    idempotency: 'none',
  },
} as const satisfies Record<string, Operation>;
