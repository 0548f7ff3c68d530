/** Invitations to a workspace (specification, "Workspace, project, environment, invitation operations"). */
import type { invitationOperations } from '../../../protocol/operations/invitations.ts';
import { defaultPageSize } from '../../../protocol/resources/list.ts';
import type { Invitations } from '../../../storage/tenancy/invitations.ts';
import type { SignUpPolicy } from '../../auth/sign-up-policy.ts';
import type { Handlers } from '../handler.ts';
import { doingOf } from './signed-in.ts';

export interface InvitationServices {
  readonly invitations: Invitations;
  readonly policy: SignUpPolicy;
  /** Told when mail has been committed. */
  readonly mail: { wake(): void };
}

/** The engine has checked the caller's role in the workspace of the path. */
export function invitationHandlers(services: InvitationServices): Handlers<typeof invitationOperations> {
  const { invitations, policy, mail } = services;

  return {
    createInvitation: async call => {
      const { email, studioRole = 'admin' } = call.body;
      const { consoleRole = studioRole === 'admin' ? 'project_owner' : 'viewer' } = call.body;
      policy.checkDomain(email);
      const invitation = await invitations.create({
        workspaceId: call.params.workspaceId,
        ...{ email, studioRole, consoleRole },
        ...doingOf(call),
      });
      mail.wake();
      return { body: invitation };
    },

    listInvitations: async call => {
      const { cursor, limit = defaultPageSize } = call.query;
      return { body: await invitations.list(call.params.workspaceId, { cursor, limit }) };
    },

    revokeInvitation: async call => {
      const { workspaceId, invitationId } = call.params;
      await invitations.revoke(workspaceId, invitationId, doingOf(call));
      return {};
    },
  };
}
