/** Projects and their environments (specification, "Workspace, project, environment, invitation operations"). */
import type { tenancyOperations } from '../../../protocol/operations/tenancy.ts';
import { defaultPageSize } from '../../../protocol/resources/list.ts';
import type { Environments } from '../../../storage/tenancy/environments.ts';
import type { Projects } from '../../../storage/tenancy/projects.ts';
import type { Handlers } from '../handler.ts';
import { doingOf, requireUser, requireVerified } from './signed-in.ts';

type Operations = Pick<
  typeof tenancyOperations,
  'listProjects' | 'createProject' | 'listEnvironments' | 'createEnvironment'
>;

export interface ProjectServices {
  readonly projects: Projects;
  readonly environments: Environments;
}

/**
 * Lists show what the user is somebody in. A production environment is for verified users only (decisions section 1).
 */
export function projectHandlers({ projects, environments }: ProjectServices): Handlers<Operations> {
  return {
    listProjects: async call => {
      const { workspaceId, cursor, limit = defaultPageSize } = call.query;
      return { body: await projects.list(requireUser(call).userId, workspaceId, { cursor, limit }) };
    },

    createProject: async call => {
      const { workspaceId, name } = call.body;
      await call.workspaceRoleOf(workspaceId);
      return { body: await projects.create({ workspaceId, name, ...doingOf(call) }) };
    },

    listEnvironments: async call => {
      const { projectId, cursor, limit = defaultPageSize } = call.query;
      return { body: await environments.list(requireUser(call).userId, projectId, { cursor, limit }) };
    },

    createEnvironment: async call => {
      requireVerified(requireUser(call));
      const { projectId, name } = call.body;
      return { body: await environments.createProduction(projectId, name, doingOf(call)) };
    },
  };
}
