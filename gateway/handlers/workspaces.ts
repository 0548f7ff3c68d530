/** Workspaces, projects and their environments. */
import { notFound } from '../../protocol/errors.ts';
import type { tenancyOperations } from '../../protocol/operations/index.ts';
import { defaultPageSize, type Environment } from '../../protocol/resources/index.ts';
import type { Node } from '../../runtime/node/index.ts';
import type { Database } from '../../storage/database/index.ts';
import {
  type AccessCache,
  type ArchivedProjects,
  type Environments,
  listRestoredStitches,
  type Projects,
  type WorkspaceMembers,
  type Workspaces,
} from '../../storage/tenancy/index.ts';
import type { KeyVerifier } from '../auth/index.ts';
import type { Call, Handlers } from '../pipeline/index.ts';
import { createUserAuditContext, requireUser, requireVerified } from './caller.ts';
import { requireScope } from './tenant-scope.ts';

type Operations = Pick<
  typeof tenancyOperations,
  | 'listWorkspaces'
  | 'createWorkspace'
  | 'getWorkspace'
  | 'updateWorkspace'
  | 'archiveWorkspace'
  | 'transferWorkspace'
>;

/** What has to know at once that a project or workspace was archived or restored; other nodes know within seconds. */
export interface ArchiveServices {
  readonly database: Pick<Database, 'query'>;
  readonly node: Pick<Node, 'tell'>;
  readonly access: Pick<AccessCache, 'invalidateProject' | 'invalidateWorkspace'>;
  readonly verifier: Pick<KeyVerifier, 'forgetAll'>;
  readonly archived: Pick<ArchivedProjects, 'forget'>;
}

interface Archived {
  readonly projectId?: string;
  readonly workspaceId?: string;
}

function forget({ access, verifier, archived }: ArchiveServices, { projectId, workspaceId }: Archived): void {
  if (projectId !== undefined) access.invalidateProject(projectId);
  if (workspaceId !== undefined) access.invalidateWorkspace(workspaceId);
  verifier.forgetAll();
  archived.forget();
}

/** The stitches send what has waited. */
async function resume(services: ArchiveServices, restored: Archived): Promise<void> {
  forget(services, restored);
  for (const id of await listRestoredStitches(services.database, restored)) {
    services.node.tell({ kind: 'stitch', id }, 'sweep', {});
  }
}

export interface WorkspaceServices extends ArchiveServices {
  readonly workspaces: Workspaces;
  readonly members: WorkspaceMembers;
}

/** A new workspace comes with a default project and its sandbox, and belongs to the caller. */
export function workspaceHandlers({
  workspaces,
  members,
  ...services
}: WorkspaceServices): Handlers<Operations> {
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
      const { name, archived, requiresSecondFactor } = call.body;
      const change = { workspaceId, name, archived, requiresSecondFactor, ...createUserAuditContext(call) };
      const updated = await workspaces.update(change);
      if (requiresSecondFactor !== undefined) services.access.invalidateWorkspace(workspaceId);
      if (archived === false) await resume(services, { workspaceId });
      return { body: updated };
    },

    archiveWorkspace: async call => {
      const { workspaceId } = call.params;
      await workspaces.archive({ workspaceId, ...createUserAuditContext(call) });
      forget(services, { workspaceId });
      return {};
    },

    transferWorkspace: async call => {
      const { workspaceId } = call.params;
      const { userId } = call.body;
      const change = { workspaceId, userId, ...createUserAuditContext(call) };
      await call.once(key => members.transfer({ ...change, key }));
      return { body: await members.get(workspaceId, userId) };
    },
  };
}

type ProjectOperations = Pick<
  typeof tenancyOperations,
  'listProjects' | 'createProject' | 'getProject' | 'updateProject' | 'archiveProject'
>;

export interface ProjectServices extends ArchiveServices {
  readonly projects: Projects;
}

/** Lists show the projects in which the user has a role. */
export function projectHandlers({ projects, ...services }: ProjectServices): Handlers<ProjectOperations> {
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
      const { name, assignment, archived } = call.body;
      const change = { projectId, name, assignment, archived, ...createUserAuditContext(call) };
      const updated = await projects.update(change);
      if (archived === false) await resume(services, { projectId });
      return { body: updated };
    },

    archiveProject: async call => {
      const { projectId } = requireScope(call);
      await projects.archive({ projectId, ...createUserAuditContext(call) });
      forget(services, { projectId });
      return {};
    },
  };
}

type EnvironmentOperations = Pick<
  typeof tenancyOperations,
  'listEnvironments' | 'createEnvironment' | 'getEnvironment' | 'updateEnvironment'
>;

/** A production environment is for verified users only (docs/contract-decisions.md, "Environments"). */
export function environmentHandlers(environments: Environments): Handlers<EnvironmentOperations> {
  return {
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
