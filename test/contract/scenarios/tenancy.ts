import type { invitationOperations } from '../../../protocol/operations/invitations.ts';
import type { memberOperations } from '../../../protocol/operations/members.ts';
import type { tenancyOperations } from '../../../protocol/operations/tenancy.ts';
import { signUp, verifyEmail } from '../../node/tenant.ts';
import { unique } from '../fixtures.ts';
import type { ScenariosOf } from '../scenario.ts';
import { newAddress, newMember, type Place } from '../world.ts';

const inWorkspace = ({ tenant }: Place): { workspaceId: string } => ({ workspaceId: tenant.workspaceId });

export const tenancyScenarios: ScenariosOf<typeof tenancyOperations> = {
  listWorkspaces: { request: () => ({}), refusals: {} },
  createWorkspace: { request: () => ({ body: { name: unique() } }), refusals: {} },
  listProjects: {
    request: () => ({}),
    variants: [place => ({ query: inWorkspace(place) })],
    refusals: {},
  },
  createProject: {
    request: place => ({ body: { ...inWorkspace(place), name: unique() } }),
    refusals: {},
  },
  listEnvironments: {
    request: () => ({}),
    variants: [({ projectId }) => ({ query: { projectId } })],
    refusals: {},
  },
  createEnvironment: {
    // One project has one production environment: each time another project.
    request: async place => {
      const body = { ...inWorkspace(place), name: unique() };
      const { projectId } = await place.person.get<{ projectId: string }>('createProject', { body });
      return { body: { projectId, name: 'production' } };
    },
    by: async place => {
      const { tenant, world } = place;
      // Of the two tenants one has not verified the e-mail yet.
      if (place === world.foreign)
        await verifyEmail(world.node, world.line, tenant.email).catch(() => undefined);
      return place.person;
    },
    // It has one already.
    inPlace: {
      request: ({ projectId }) => ({ body: { projectId, name: 'production' } }),
      code: 'svc/runtime/conflict',
      unverified: 'svc/auth/email_not_verified',
    },
    refusals: {
      'svc/auth/email_not_verified': async world => {
        const { person, projectId } = await signUp(world.line);
        return { by: person, asked: { body: { projectId, name: 'production' } } };
      },
      'svc/runtime/conflict': async world => ({
        by: world.sandbox.person,
        asked: { body: { projectId: world.sandbox.projectId, name: 'production' } },
      }),
    },
  },
};

export const invitationScenarios: ScenariosOf<typeof invitationOperations> = {
  createInvitation: {
    request: place => ({ params: inWorkspace(place), body: { email: newAddress() } }),
    variants: [
      place => ({
        params: inWorkspace(place),
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
    },
  },
  listInvitations: { request: place => ({ params: inWorkspace(place) }), refusals: {} },
  revokeInvitation: {
    request: async place => {
      const { invitationId } = await place.person.get<{ invitationId: string }>('createInvitation', {
        params: inWorkspace(place),
        body: { email: newAddress() },
      });
      return { params: { ...inWorkspace(place), invitationId } };
    },
    refusals: {},
  },
};

export const memberScenarios: ScenariosOf<typeof memberOperations> = {
  listMembers: { request: place => ({ params: inWorkspace(place) }), refusals: {} },
  getMember: {
    request: place => ({ params: { ...inWorkspace(place), userId: place.tenant.userId } }),
    refusals: {},
  },
  updateMember: {
    request: async place => ({
      params: { ...inWorkspace(place), userId: await newMember(place) },
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
    request: async place => ({ params: { ...inWorkspace(place), userId: await newMember(place) } }),
    // Only their own membership is theirs to end.
    refuses: ['studio viewer'],
    refusals: {
      'svc/runtime/conflict': async ({ foreign }) => ({
        by: foreign.person,
        asked: { params: { ...inWorkspace(foreign), userId: foreign.tenant.userId } },
      }),
    },
  },
};
