/** Workspaces, projects and their environments. */
import type { tenancyOperations } from '../../protocol/operations/index.ts';
import { defaultPageSize } from '../../protocol/resources/index.ts';
import type { Environments, Projects, Workspaces } from '../../storage/tenancy/index.ts';
import type { Handlers } from '../pipeline/index.ts';
import { createUserAuditContext, requireUser, requireVerified } from './caller.ts';

type Operations = Pick<typeof tenancyOperations, 'listWorkspaces' | 'createWorkspace'>;

/** A new workspace comes with a default project and its sandbox, and belongs to the caller. */
export function workspaceHandlers(workspaces: Workspaces): Handlers<Operations> {
  return {
    listWorkspaces: async call => {
      const { cursor, limit = defaultPageSize } = call.query;
      return { body: await workspaces.list(requireUser(call).userId, { cursor, limit }) };
    },

    createWorkspace: async call => ({
      body: await call.once(key => workspaces.create(call.body.name, createUserAuditContext(call), key)),
    }),
  };
}

type ProjectOperations = Pick<
  typeof tenancyOperations,
  'listProjects' | 'createProject' | 'listEnvironments' | 'createEnvironment'
>;

export interface ProjectServices {
  readonly projects: Projects;
  readonly environments: Environments;
}

/**
 * Lists show the projects in which the user has a role. A production environment is for verified users only
 * (docs/contract-decisions.md, "Environments").
 */
export function projectHandlers({ projects, environments }: ProjectServices): Handlers<ProjectOperations> {
  return {
    listProjects: async call => {
      const { workspaceId, cursor, limit = defaultPageSize } = call.query;
      return { body: await projects.list(requireUser(call).userId, workspaceId, { cursor, limit }) };
    },

    createProject: async call => {
      const { workspaceId, name } = call.body;
      await call.requireWorkspaceRole(workspaceId);
      const request = { workspaceId, name, ...createUserAuditContext(call) };
      return { body: await call.once(key => projects.create({ ...request, key })) };
    },

    listEnvironments: async call => {
      const { projectId, cursor, limit = defaultPageSize } = call.query;
      return { body: await environments.list(requireUser(call).userId, projectId, { cursor, limit }) };
    },

    createEnvironment: async call => {
      requireVerified(requireUser(call));
      const { projectId, name } = call.body;
      const audit = createUserAuditContext(call);
      return {
        body: await call.once(key => environments.createProduction(projectId, name, audit, key)),
      };
    },
  };
}
