import type { invitationOperations } from '../../../protocol/operations/invitations.ts';
import type { memberOperations } from '../../../protocol/operations/members.ts';
import type { tenancyOperations } from '../../../protocol/operations/tenancy.ts';
import type { Asked } from '../../node/client.ts';
import { signUp, verifyEmail } from '../../node/tenant.ts';
import { unique } from '../resources.ts';
import { atLimit } from '../limits.ts';
import type { ScenariosOf } from '../scenario.ts';
import { newAddress, newMember, type TenantEnvironment } from '../contract-fixture.ts';

const inWorkspace = ({ tenant }: TenantEnvironment): { workspaceId: string } => ({
  workspaceId: tenant.workspaceId,
});

const inProject = ({ projectId }: TenantEnvironment): { projectId: string } => ({ projectId });

const isWorkspace = ({ tenant }: TenantEnvironment): string => `t.workspace_id = '${tenant.workspaceId}'`;
const newProject = (env: TenantEnvironment) => ({ body: { ...inWorkspace(env), name: unique() } });

const isEnvironment = ({ environmentId }: TenantEnvironment): Asked => ({ params: { environmentId } });
const toEnvironment = (env: TenantEnvironment): Asked => ({
  ...isEnvironment(env),
  body: { name: unique() },
});

/** Another workspace with the same people in the same roles: what is done to it is done to nobody else's. */
async function copyWorkspace(env: TenantEnvironment): Promise<{ workspaceId: string }> {
  const { fixture, tenant, person } = env;
  const body = { name: unique() };
  const { workspaceId } = await person.get<{ workspaceId: string }>('createWorkspace', { body });
  await fixture.database.query(
    `insert into workspace_members (workspace_id, user_id, role, created_at, updated_at)
     select $1, user_id, role, now(), now() from workspace_members where workspace_id = $2 on conflict do nothing`,
    [workspaceId, tenant.workspaceId],
  );
  return { workspaceId };
}

/** Another project of the workspace, with the same people. */
async function copyProject(env: TenantEnvironment): Promise<{ projectId: string }> {
  const { projectId } = await env.person.get<{ projectId: string }>('createProject', newProject(env));
  for (const table of ['project_members', 'console_members']) {
    await env.fixture.database.query(
      `insert into ${table} (project_id, user_id, role, created_at, updated_at)
       select $1, user_id, role, now(), now() from ${table} where project_id = $2 on conflict do nothing`,
      [projectId, env.projectId],
    );
  }
  return { projectId };
}

export const tenancyScenarios: ScenariosOf<typeof tenancyOperations> = {
  listWorkspaces: { request: () => ({}), refusals: {} },
  createWorkspace: {
    request: () => ({ body: { name: unique() } }),
    refusals: {
      'svc/runtime/conflict': atLimit(
        'workspaces',
        'createWorkspace',
        () => ({ body: { name: unique() } }),
        { table: 'workspaces', id: 'workspace_id', where: isWorkspace },
        { table: 'workspace_members', id: 'workspace_id', where: isWorkspace },
      ),
    },
  },
  getWorkspace: { request: env => ({ params: inWorkspace(env) }), refusals: {} },
  updateWorkspace: {
    request: env => ({ params: inWorkspace(env), body: { name: unique() } }),
    refusals: {
      'svc/runtime/conflict': async ({ sandbox }) => ({
        by: sandbox.person,
        asked: { params: inWorkspace(sandbox), body: { requiresSecondFactor: true } },
      }),
    },
  },
  archiveWorkspace: { request: async env => ({ params: await copyWorkspace(env) }), refusals: {} },
  transferWorkspace: {
    request: async env => {
      const userId = await newMember(env);
      return { params: await copyWorkspace(env), body: { userId } };
    },
    // Admins rename a workspace, and do not give it away.
    refuses: ['studio admin'],
    refusals: {
      'svc/runtime/conflict': async ({ sandbox }) => ({
        by: sandbox.person,
        asked: { params: inWorkspace(sandbox), body: { userId: sandbox.tenant.userId } },
      }),
    },
  },
  listProjects: {
    request: () => ({}),
    variants: [env => ({ query: inWorkspace(env) })],
    refusals: {},
  },
  createProject: {
    request: newProject,
    refusals: {
      'svc/runtime/conflict': atLimit('projects', 'createProject', newProject, {
        table: 'projects',
        id: 'project_id',
      }),
    },
  },
  getProject: { request: ({ projectId }) => ({ params: { projectId } }), refusals: {} },
  updateProject: {
    request: ({ projectId }) => ({ params: { projectId }, body: { name: unique() } }),
    refusals: {},
  },
  archiveProject: { request: async env => ({ params: await copyProject(env) }), refusals: {} },
  listEnvironments: {
    request: () => ({}),
    variants: [({ projectId }) => ({ query: { projectId } })],
    refusals: {},
  },
  getEnvironment: {
    request: isEnvironment,
    refusals: {
      'svc/auth/email_not_verified': async ({ production, inRole }) => ({
        by: await inRole('studio viewer'),
        asked: isEnvironment(production),
      }),
    },
  },
  updateEnvironment: {
    request: toEnvironment,
    refusals: {
      'svc/auth/email_not_verified': async ({ production, inRole }) => ({
        by: await inRole('studio developer'),
        asked: toEnvironment(production),
      }),
    },
  },
  createEnvironment: {
    // One project has one production environment: each time another project.
    request: async env => {
      const body = { ...inWorkspace(env), name: unique() };
      const { projectId } = await env.person.get<{ projectId: string }>('createProject', { body });
      return { body: { projectId, name: 'production' } };
    },
    by: async env => {
      const { tenant, fixture } = env;
      // Of the two tenants one has not verified the e-mail yet.
      if (env === fixture.foreign)
        await verifyEmail(fixture.log, fixture.line, tenant.email).catch(() => undefined);
      return env.person;
    },
    // It has one already.
    inOwnProject: {
      request: ({ projectId }) => ({ body: { projectId, name: 'production' } }),
      code: 'svc/runtime/conflict',
      unverified: 'svc/auth/email_not_verified',
    },
    refusals: {
      'svc/auth/email_not_verified': async fixture => {
        const { person, projectId } = await signUp(fixture.line);
        return { by: person, asked: { body: { projectId, name: 'production' } } };
      },
      'svc/runtime/conflict': async fixture => ({
        by: fixture.sandbox.person,
        asked: { body: { projectId: fixture.sandbox.projectId, name: 'production' } },
      }),
    },
  },
};

export const invitationScenarios: ScenariosOf<typeof invitationOperations> = {
  createInvitation: {
    verifiedOnly: true,
    request: env => ({ params: inWorkspace(env), body: { email: newAddress() } }),
    variants: [
      env => ({
        params: inWorkspace(env),
        body: { email: newAddress(), studioRole: 'viewer', consoleRole: 'agent' },
      }),
    ],
    refusals: {
      'svc/runtime/conflict': async ({ sandbox }) => ({
        by: sandbox.person,
        asked: { params: inWorkspace(sandbox), body: { email: sandbox.tenant.email } },
      }),
      'svc/auth/email_domain_not_allowed': async ({ sandbox }) => ({
        by: sandbox.person,
        asked: { params: inWorkspace(sandbox), body: { email: 'someone@mailinator.com' } },
      }),
      'svc/auth/email_not_verified': async ({ inRole, sandbox }) => ({
        by: await inRole('studio admin'),
        asked: { params: inWorkspace(sandbox), body: { email: newAddress() } },
      }),
    },
  },
  listInvitations: { request: env => ({ params: inWorkspace(env) }), refusals: {} },
  revokeInvitation: {
    request: async env => {
      const { invitationId } = await env.person.get<{ invitationId: string }>('createInvitation', {
        params: inWorkspace(env),
        body: { email: newAddress() },
      });
      return { params: { ...inWorkspace(env), invitationId } };
    },
    refusals: {},
  },
};

export const memberScenarios: ScenariosOf<typeof memberOperations> = {
  listMembers: { request: env => ({ params: inWorkspace(env) }), refusals: {} },
  getMember: {
    request: env => ({ params: { ...inWorkspace(env), userId: env.tenant.userId } }),
    refusals: {},
  },
  updateMember: {
    request: async env => ({
      params: { ...inWorkspace(env), userId: await newMember(env) },
      body: { role: 'admin' },
    }),
    refusals: {
      'svc/runtime/conflict': async ({ foreign }) => ({
        by: foreign.person,
        asked: {
          params: { ...inWorkspace(foreign), userId: foreign.tenant.userId },
          body: { role: 'viewer' },
        },
      }),
    },
  },
  removeMember: {
    request: async env => ({ params: { ...inWorkspace(env), userId: await newMember(env) } }),
    // Only their own membership is theirs to end.
    refuses: ['studio viewer'],
    refusals: {
      'svc/runtime/conflict': async ({ foreign }) => ({
        by: foreign.person,
        asked: { params: { ...inWorkspace(foreign), userId: foreign.tenant.userId } },
      }),
    },
  },
  listProjectMembers: { request: env => ({ params: inProject(env) }), refusals: {} },
  upsertProjectMember: {
    request: async env => ({
      params: inProject(env),
      body: { userId: await newMember(env), role: 'developer' },
    }),
    refusals: {
      'svc/runtime/conflict': async ({ sandbox }) => ({
        by: sandbox.person,
        asked: {
          params: inProject(sandbox),
          body: { userId: sandbox.tenant.userId, role: 'viewer' },
        },
      }),
    },
  },
  removeProjectMember: {
    request: async env => {
      const userId = await newMember(env);
      const body = { userId, role: 'viewer' };
      await env.person.get('upsertProjectMember', { params: inProject(env), body });
      return { params: { ...inProject(env), userId } };
    },
    refusals: {},
  },
};
