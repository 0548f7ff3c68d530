/** Workspaces, projects and their environments. */
import { notFound } from '../../protocol/errors.ts';
import type { tenancyOperations } from '../../protocol/operations/index.ts';
import { defaultPageSize, type Environment } from '../../protocol/resources/index.ts';
import type { Environments, Projects, Workspaces } from '../../storage/tenancy/index.ts';
import type { Call, Handlers } from '../pipeline/index.ts';
import { createUserAuditContext, requireUser, requireVerified } from './caller.ts';
import { requireScope } from './tenant-scope.ts';

type Operations = Pick<
  typeof tenancyOperations,
  'listWorkspaces' | 'createWorkspace' | 'getWorkspace' | 'updateWorkspace'
>;

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

    getWorkspace: async call => {
      const found = await workspaces.find(call.params.workspaceId);
      if (found === undefined) throw notFound();
      return { body: found };
    },

    updateWorkspace: async call => {
      const { workspaceId } = call.params;
      const { name } = call.body;
      return { body: await workspaces.rename({ workspaceId, name, ...createUserAuditContext(call) }) };
    },
  };
}

type ProjectOperations = Pick<
  typeof tenancyOperations,
  | 'listProjects'
  | 'createProject'
  | 'getProject'
  | 'updateProject'
  | 'listEnvironments'
  | 'createEnvironment'
  | 'getEnvironment'
  | 'updateEnvironment'
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

    getProject: async call => {
      const found = await projects.find(requireScope(call).projectId);
      if (found === undefined) throw notFound();
      return { body: found };
    },

    updateProject: async call => {
      const { projectId } = requireScope(call);
      const { name, assignment } = call.body;
      const change = { projectId, name, assignment, ...createUserAuditContext(call) };
      return { body: await projects.update(change) };
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

    getEnvironment: async call => ({ body: await findEnvironment(call, call.params.environmentId) }),

    updateEnvironment: async call => {
      const { projectId, environmentId } = await findEnvironment(call, call.params.environmentId);
      const { name } = call.body;
      const change = { projectId, environmentId, name, ...createUserAuditContext(call) };
      return { body: await environments.rename(change) };
    },
  };

  /** 404 where it is not there or not the caller's. */
  async function findEnvironment(call: Call, environmentId: string): Promise<Environment> {
    const found = await environments.find(environmentId);
    if (found === undefined) throw notFound();
    await call.authoriseScope(found.projectId, environmentId);
    return found;
  }
}
