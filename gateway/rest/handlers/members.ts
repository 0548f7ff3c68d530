/** [+] Members of a workspace (decisions section 2). */
import type { memberOperations } from '../../../protocol/operations/members.ts';
import { defaultPageSize } from '../../../protocol/resources/list.ts';
import type { MembershipChange, WorkspaceMembers } from '../../../storage/tenancy/workspace-members.ts';
import type { Call, Handlers } from '../handler.ts';
import { takeOffThreads, type LeavingServices } from './leaving.ts';
import { doingOf } from './signed-in.ts';

export interface MemberServices extends LeavingServices {
  readonly members: WorkspaceMembers;
}

/** The engine has checked the caller's role in the workspace of the path. */
export function memberHandlers(services: MemberServices): Handlers<typeof memberOperations> {
  const { members } = services;

  return {
    listMembers: async call => {
      const { cursor, limit = defaultPageSize } = call.query;
      return { body: await members.list(call.params.workspaceId, { cursor, limit }) };
    },

    getMember: async call => {
      const { workspaceId, userId } = call.params;
      return { body: await members.get(workspaceId, userId) };
    },

    updateMember: async call => {
      const { role } = call.body;
      return { body: await members.changeRole({ ...changeOf(call, call.params), role }) };
    },

    removeMember: async call => {
      const change = changeOf(call, call.params);
      // Whatever becomes of the threads: first they may do no more.
      await members.remove(change);
      await takeOffThreads(services, call, change);
      return {};
    },
  };
}

function changeOf(
  call: Pick<Call, 'caller' | 'requestId' | 'address' | 'now'>,
  { workspaceId, userId }: Pick<MembershipChange, 'workspaceId' | 'userId'>,
): MembershipChange {
  return { workspaceId, userId, ...doingOf(call) };
}
