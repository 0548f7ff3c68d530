/** Members of a workspace. */
import Type from 'typebox';
import type { Operation } from '../operation.ts';
import { id, createList, ListQuery, UpdateWorkspaceMemberBody, WorkspaceMember } from '../resources/index.ts';
import { absent, access, always, checked, forbidden, paged, signedIn } from './rules.ts';

const tag = 'Members';
const oneMember = Type.Object({ workspaceId: id('workspace'), userId: id('user') });

export const memberOperations = {
  listMembers: {
    method: 'GET',
    path: '/workspaces/{workspaceId}/members',
    tag,
    summary: "List a workspace's members",
    auth: 'user',
    access: access.readWorkspace,
    params: Type.Object({ workspaceId: id('workspace') }),
    query: ListQuery,
    success: { status: 200, body: createList(WorkspaceMember) },
    errors: [...always, ...paged, ...signedIn, ...absent],
    rate: 'read',
    idempotency: 'none',
  },
  getMember: {
    method: 'GET',
    path: '/workspaces/{workspaceId}/members/{userId}',
    tag,
    summary: 'Read a member of a workspace',
    auth: 'user',
    access: access.readWorkspace,
    params: oneMember,
    success: { status: 200, body: WorkspaceMember },
    errors: [...always, ...checked, ...signedIn, ...absent],
    rate: 'read',
    idempotency: 'none',
  },
  updateMember: {
    method: 'PATCH',
    path: '/workspaces/{workspaceId}/members/{userId}',
    tag,
    summary: "Change a member's role",
    description: 'Only owners can give or take away the role owner. Demoting the last owner is a conflict.',
    auth: 'user',
    access: access.administer,
    params: oneMember,
    body: UpdateWorkspaceMemberBody,
    success: { status: 200, body: WorkspaceMember },
    errors: [...always, ...checked, ...signedIn, ...forbidden, ...absent, 'svc/runtime/conflict'],
    rate: 'write',
    idempotency: 'none',
  },
  removeMember: {
    method: 'DELETE',
    path: '/workspaces/{workspaceId}/members/{userId}',
    tag,
    summary: 'Remove a member, also from all projects of the workspace',
    description:
      'Users can remove themselves; removing others takes an admin, and only owners can remove owners. Removing the last owner is a conflict. Removing a member also ends the user’s Console memberships and open streams, revokes the invitations that they sent, and unassigns their threads. API keys that they created belong to the project and keep working: the audit log lists them (api_key.created, api_key.rotated), so that keys whose secret they know can be rotated.',
    auth: 'user',
    access: access.leaveWorkspace,
    params: oneMember,
    success: { status: 204, body: null },
    errors: [...always, ...checked, ...signedIn, ...forbidden, ...absent, 'svc/runtime/conflict'],
    rate: 'write',
    idempotency: 'none',
  },
} as const satisfies Record<string, Operation>;
