/** [+] Members of a workspace (decisions section 2). */
import Type from 'typebox';
import type { Operation } from '../operation.ts';
import { id } from '../resources/fields.ts';
import { listOf, ListQuery } from '../resources/list.ts';
import { UpdateWorkspaceMemberBody, WorkspaceMember } from '../resources/member.ts';
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
    success: { status: 200, body: listOf(WorkspaceMember) },
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
    description: 'Only owners make or unmake owners. The last owner stays one: a conflict.',
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
    summary: 'End a membership, with all that the user is in the projects of the workspace',
    description:
      'Everybody may end their own; for the others it takes an admin, and only owners remove owners. The last owner stays: a conflict. The user has no access from then on: their Console memberships and open streams end, invitations that they have sent are revoked, and threads that they were assigned to are nobody’s. API keys that they have made are the project’s and work on: the audit log tells which (api_key.created, api_key.rotated), so that those whose secret they know can be rotated.',
    auth: 'user',
    access: access.leaveWorkspace,
    params: oneMember,
    success: { status: 204, body: null },
    errors: [...always, ...checked, ...signedIn, ...forbidden, ...absent, 'svc/runtime/conflict'],
    rate: 'write',
    idempotency: 'none',
  },
} as const satisfies Record<string, Operation>;
