import type { consoleOperations } from '../../../protocol/operations/console.ts';
import type { mentionOperations } from '../../../protocol/operations/mentions.ts';
import type { contractOperations } from '../../../protocol/operations/contract.ts';
import type { ScenariosOf } from '../scenario.ts';
import { newMember, type TenantEnvironment } from '../contract-fixture.ts';

const inProject = ({ projectId }: TenantEnvironment): { projectId: string } => ({ projectId });

export const consoleScenarios: ScenariosOf<typeof consoleOperations> = {
  listConsoleMembers: { request: env => ({ params: inProject(env) }), refusals: {} },
  upsertConsoleMember: {
    request: async env => ({
      params: inProject(env),
      body: { userId: await newMember(env), role: 'agent' },
    }),
    refusals: {},
  },
  removeConsoleMember: {
    request: async env => {
      const userId = await newMember(env);
      await env.person.get('upsertConsoleMember', {
        params: inProject(env),
        body: { userId, role: 'agent' },
      });
      return { params: { ...inProject(env), userId } };
    },
    refusals: {},
  },
  getQueues: {
    request: env => ({ params: inProject(env), query: { environmentId: env.environmentId } }),
    variants: [env => ({ params: inProject(env) })],
    refusals: {},
  },
  createStreamTicket: {
    request: env => ({ params: inProject(env) }),
    refusals: {},
  },
  openStream: { request: env => ({ params: inProject(env) }), refusals: {} },
  listStreamEvents: {
    request: env => ({ params: inProject(env) }),
    variants: [env => ({ params: inProject(env), query: { afterSeq: 1, limit: 1 } })],
    refusals: {},
  },
};

export const mentionScenarios: ScenariosOf<typeof mentionOperations> = {
  listMentions: {
    request: env => ({ params: inProject(env), query: { environmentId: env.environmentId } }),
    variants: [env => ({ params: inProject(env), query: { unread: true, limit: 1 } })],
    refusals: {},
  },
  readMentions: {
    request: env => ({ params: inProject(env), body: { environmentId: env.environmentId } }),
    variants: [env => ({ params: inProject(env), body: {} })],
    refusals: {},
  },
};

export const contractScenarios: ScenariosOf<typeof contractOperations> = {
  getOpenApi: { request: () => ({}), refusals: {} },
  getEnvelopeExample: { request: () => ({}), refusals: {} },
};
