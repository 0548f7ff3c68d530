/** Workspaces (specification, "Workspace, project, environment, invitation operations"). */
import type { tenancyOperations } from '../../../protocol/operations/tenancy.ts';
import { defaultPageSize } from '../../../protocol/resources/list.ts';
import type { Workspaces } from '../../../storage/tenancy/workspaces.ts';
import type { Handlers } from '../handler.ts';
import { doingOf, requireUser } from './signed-in.ts';

type Operations = Pick<typeof tenancyOperations, 'listWorkspaces' | 'createWorkspace'>;

/** A new workspace comes with its default project and sandbox, and belongs to whoever asked. */
export function workspaceHandlers(workspaces: Workspaces): Handlers<Operations> {
  return {
    listWorkspaces: async call => {
      const { cursor, limit = defaultPageSize } = call.query;
      return { body: await workspaces.list(requireUser(call).userId, { cursor, limit }) };
    },

    createWorkspace: async call => ({
      body: await workspaces.create(call.body.name, doingOf(call)),
    }),
  };
}
