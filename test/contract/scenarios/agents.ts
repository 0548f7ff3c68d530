import type { agentOperations } from '../../../protocol/operations/agents.ts';
import type { budgetOperations } from '../../../protocol/operations/budgets.ts';
import type { byokOperations } from '../../../protocol/operations/byok.ts';
import type { loomTrialOperations } from '../../../protocol/operations/loom-trials.ts';
import type { loomOperations } from '../../../protocol/operations/looms.ts';
import type { toolOperations } from '../../../protocol/operations/tools.ts';
import type { Asked } from '../../node/client.ts';
import {
  definition,
  newAgent,
  newByokCredential,
  newInbound,
  newLoom,
  newThread,
  newTool,
  newVersion,
  unique,
} from '../resources.ts';
import { atLimit } from '../limits.ts';
import type { ScenariosOf } from '../scenario.ts';
import type { TenantEnvironment, Role, ContractFixture } from '../contract-fixture.ts';

const inProject = ({ projectId }: TenantEnvironment): { projectId: string } => ({ projectId });
const inEnvironment = ({ projectId, environmentId }: TenantEnvironment) => ({ projectId, environmentId });

/** The request, in production, by somebody whose e-mail is not verified. */
const unverified =
  (request: (env: TenantEnvironment) => Asked | Promise<Asked>, role: Role = 'studio developer') =>
  async ({ production, inRole }: ContractFixture) => ({
    by: await inRole(role),
    asked: await request(production),
  });

const newCredential = (env: TenantEnvironment): Asked => ({
  body: {
    ...inEnvironment(env),
    provider: 'llm_provider_2',
    displayName: unique(),
    secret: `secret-${unique()}`,
  },
});

const toCredential = async (env: TenantEnvironment, body?: object): Promise<Asked> => ({
  params: { byokCredentialId: await newByokCredential(env) },
  ...(body === undefined ? {} : { body }),
});

const listCredentials = (env: TenantEnvironment): Asked => ({ query: inEnvironment(env) });
const rotation = (env: TenantEnvironment): Promise<Asked> =>
  toCredential(env, { secret: `secret-${unique()}` });
const update = (env: TenantEnvironment): Promise<Asked> =>
  toCredential(env, { displayName: unique(), modelAllowlist: ['model-1'] });
const revocation = (env: TenantEnvironment): Promise<Asked> => toCredential(env);

/** The request for a credential that was revoked meanwhile. */
const whenRevoked =
  (request: (env: TenantEnvironment) => Promise<Asked>) =>
  async ({ sandbox }: ContractFixture) => {
    const asked = await request(sandbox);
    await sandbox.person.get('revokeByokCredential', { params: asked.params ?? {} });
    return { by: sandbox.person, asked };
  };

export const byokScenarios: ScenariosOf<typeof byokOperations> = {
  listByokCredentials: {
    request: listCredentials,
    refusals: { 'svc/auth/email_not_verified': unverified(listCredentials) },
  },
  createByokCredential: {
    request: newCredential,
    refusals: {
      'svc/auth/email_not_verified': unverified(newCredential),
      'svc/runtime/conflict': atLimit('byokCredentials', 'createByokCredential', newCredential, {
        table: 'byok_credentials',
        id: 'byok_credential_id',
      }),
    },
  },
  updateByokCredential: {
    request: update,
    variants: [env => toCredential(env, { modelAllowlist: [], metadata: { note: null } })],
    refusals: {
      'svc/auth/email_not_verified': unverified(update),
      'svc/runtime/conflict': whenRevoked(update),
    },
  },
  rotateByokCredential: {
    request: rotation,
    variants: [env => toCredential(env, { secret: `secret-${unique()}`, gracePeriodSeconds: 0 })],
    refusals: {
      'svc/auth/email_not_verified': unverified(rotation),
      'svc/runtime/conflict': whenRevoked(rotation),
    },
  },
  revokeByokCredential: {
    request: revocation,
    refusals: { 'svc/auth/email_not_verified': unverified(revocation) },
  },
};

const newPlainTool = (env: TenantEnvironment) => ({
  body: { ...inEnvironment(env), name: unique(), url: env.webhookUrl },
});

const toTool = async (env: TenantEnvironment, more: object = {}): Promise<Asked> => ({
  params: { toolId: await newTool(env) },
  body: { ...inProject(env), ...more },
});

export const toolScenarios: ScenariosOf<typeof toolOperations> = {
  listTools: { request: env => ({ query: inEnvironment(env) }), refusals: {} },
  createTool: {
    request: newPlainTool,
    variants: [
      env => ({
        body: {
          ...inEnvironment(env),
          name: unique(),
          url: env.webhookUrl,
          method: 'GET',
          headers: { Authorization: 'Bearer hush' },
          description: 'Finds an order.',
          inputSchema: { type: 'object', properties: { orderId: { type: 'string' } } },
        },
      }),
    ],
    refusals: {
      'svc/runtime/conflict': atLimit('tools', 'createTool', newPlainTool, { table: 'tools', id: 'tool_id' }),
    },
  },
  getTool: { request: async env => ({ params: { toolId: await newTool(env) } }), refusals: {} },
  updateTool: {
    request: env => toTool(env, { name: unique(), status: 'disabled' }),
    variants: [env => toTool(env, { headers: { 'X-Key': 'hush' }, inputSchema: null })],
    refusals: {},
  },
  rotateToolSecret: {
    request: env => toTool(env),
    variants: [env => toTool(env, { gracePeriodSeconds: 0 })],
    refusals: {},
  },
  testTool: {
    request: env => toTool(env),
    variants: [env => toTool(env, { arguments: { orderId: 'A-1' } })],
    refusals: {},
  },
};

const newPlainLoom = (env: TenantEnvironment) => ({
  body: { ...inEnvironment(env), name: unique(), ...definition },
});

const toLoom = async (env: TenantEnvironment, more: object): Promise<Asked> => ({
  params: { loomId: (await newLoom(env)).loomId },
  body: { ...inProject(env), ...more },
});

/** The request meets a loom that has been archived. */
async function archivedLoom({ sandbox }: ContractFixture, more: object) {
  const asked = await toLoom(sandbox, more);
  const body = { ...inProject(sandbox), status: 'archived' };
  await sandbox.key.get('updateLoom', { params: asked.params ?? {}, body });
  return { by: sandbox.key, asked };
}

/** Everything that a version can say. */
const whole = async (env: TenantEnvironment) => ({
  ...definition,
  rules: ['Be kind.'],
  mode: 'suggest',
  temperature: 0.5,
  maxTokens: 500,
  toolIds: [await newTool(env)],
  byokCredentialId: await newByokCredential(env),
  metadata: { a: 1 },
});

export const loomScenarios: ScenariosOf<typeof loomOperations> = {
  listLooms: { request: env => ({ query: inEnvironment(env) }), refusals: {} },
  createLoom: {
    request: newPlainLoom,
    variants: [async env => ({ body: { ...inEnvironment(env), name: unique(), ...(await whole(env)) } })],
    refusals: {
      'svc/runtime/conflict': atLimit('looms', 'createLoom', newPlainLoom, { table: 'looms', id: 'loom_id' }),
    },
  },
  getLoom: {
    request: async env => ({ params: { loomId: (await newLoom(env)).loomId } }),
    refusals: {},
  },
  updateLoom: {
    request: env => toLoom(env, { name: unique(), status: 'archived' }),
    variants: [env => toLoom(env, { archived: false, metadata: { a: 1 } })],
    refusals: {
      'svc/runtime/conflict': async ({ sandbox }) => {
        const { loomId } = await newAgent(sandbox);
        const body = { ...inProject(sandbox), status: 'archived' };
        return { by: sandbox.key, asked: { params: { loomId }, body } };
      },
    },
  },
  archiveLoom: {
    request: async env => ({ params: { loomId: (await newLoom(env)).loomId } }),
    refusals: {
      'svc/runtime/conflict': async ({ sandbox }) => {
        const { loomId } = await newAgent(sandbox);
        return { by: sandbox.key, asked: { params: { loomId } } };
      },
    },
  },
  activateLoomVersion: {
    request: async env => {
      const { loomId, loomVersionId } = await newVersion(env);
      return { params: { loomId }, body: { ...inProject(env), loomVersionId } };
    },
    variants: [
      async env => {
        const { loomId, loomVersionId } = await newVersion(env);
        return { params: { loomId }, body: { ...inProject(env), loomVersionId, reason: 'Shorter.' } };
      },
    ],
    refusals: {
      'svc/runtime/conflict': async ({ sandbox }) => {
        const { loomId, loomVersionId } = await newVersion(sandbox);
        const params = { loomId, loomVersionId };
        const body = inProject(sandbox);
        await sandbox.key.get('updateLoomVersion', { params, body: { ...body, status: 'archived' } });
        return { by: sandbox.key, asked: { params: { loomId }, body: { ...body, loomVersionId } } };
      },
    },
  },
  listLoomActivations: {
    request: async env => ({ params: { loomId: (await newLoom(env)).loomId } }),
    refusals: {},
  },
  listLoomVersions: {
    request: async env => ({ params: { loomId: (await newLoom(env)).loomId } }),
    refusals: {},
  },
  createLoomVersion: {
    request: env => toLoom(env, { ...definition, systemPrompt: unique() }),
    variants: [async env => toLoom(env, { ...(await whole(env)), activate: false })],
    refusals: { 'svc/runtime/conflict': fixture => archivedLoom(fixture, definition) },
  },
  getLoomVersion: { request: async env => ({ params: await newLoom(env) }), refusals: {} },
  updateLoomVersion: {
    request: async env => ({
      params: await newVersion(env),
      body: { ...inProject(env), status: 'archived' },
    }),
    refusals: {
      'svc/runtime/conflict': async ({ sandbox }) => ({
        by: sandbox.key,
        asked: { params: await newLoom(sandbox), body: { ...inProject(sandbox), status: 'archived' } },
      }),
    },
  },
  archiveLoomVersion: {
    request: async env => ({ params: await newVersion(env) }),
    refusals: {
      'svc/runtime/conflict': async ({ sandbox }) => ({
        by: sandbox.key,
        asked: { params: await newLoom(sandbox) },
      }),
    },
  },
};

/** Of a version that a model answers for (test/contract/models.ts). */
const toTrial = async (env: TenantEnvironment, more: object): Promise<Asked> => {
  const loom = { ...inEnvironment(env), name: unique(), ...definition };
  const byokCredentialId = await newByokCredential(env);
  const { loomId } = await env.key.get<{ loomId: string }>('createLoom', {
    body: { ...loom, byokCredentialId },
  });
  return { params: { loomId }, body: { ...inProject(env), ...more } };
};

const typed = { messages: [{ direction: 'inbound', body: 'hello' }] };

export const loomTrialScenarios: ScenariosOf<typeof loomTrialOperations> = {
  tryLoom: {
    request: env => toTrial(env, typed),
    variants: [
      async env => toTrial(env, { threadId: await newThread(env) }),
      async env => {
        const { threadId, messageId } = await newInbound(env);
        const toolResults = [{ toolId: await newTool(env), arguments: {}, result: { ok: true } }];
        return toTrial(env, { threadId, inputMessageId: messageId, ...typed, toolResults, timeoutMs: 5_000 });
      },
    ],
    refusals: {},
  },
};

const toAgent = async (env: TenantEnvironment, more: object): Promise<Asked> => ({
  params: { agentId: (await newAgent(env)).agentId },
  body: { ...inProject(env), ...more },
});

export const agentScenarios: ScenariosOf<typeof agentOperations> = {
  listAgents: { request: env => ({ query: inEnvironment(env) }), refusals: {} },
  createAgent: {
    request: env => ({ body: { ...inEnvironment(env), name: unique() } }),
    variants: [
      async env => ({
        body: {
          ...inEnvironment(env),
          name: unique(),
          mode: 'auto',
          loomId: (await newLoom(env)).loomId,
        },
      }),
    ],
    refusals: {
      'svc/runtime/conflict': async fixture => {
        const { asked } = await archivedLoom(fixture, {});
        const { sandbox } = fixture;
        const body = { ...inProject(sandbox), name: unique(), loomId: asked.params?.['loomId'] };
        return { by: sandbox.key, asked: { body } };
      },
    },
  },
  getAgent: {
    request: async env => ({ params: { agentId: (await newAgent(env)).agentId } }),
    refusals: {},
  },
  getAgentSuggestions: {
    request: async env => ({ params: { agentId: (await newAgent(env)).agentId } }),
    variants: [async env => ({ params: { agentId: (await newAgent(env)).agentId }, query: { days: 1 } })],
    refusals: {},
  },
  archiveAgent: {
    request: async env => ({ params: { agentId: (await newAgent(env)).agentId } }),
    refusals: {},
  },
  updateAgent: {
    request: env => toAgent(env, { name: unique(), mode: 'suggest' }),
    variants: [
      env => toAgent(env, { archived: true }),
      async env => toAgent(env, { loomId: (await newLoom(env)).loomId }),
      async env => {
        const { loomId, loomVersionId } = await newVersion(env);
        return toAgent(env, { loomId, split: { loomVersionId, percent: 10 } });
      },
    ],
    refusals: {
      'svc/runtime/conflict': async ({ sandbox }) => {
        const asked = await toAgent(sandbox, { name: unique() });
        const body = { ...inProject(sandbox), archived: true };
        await sandbox.key.get('updateAgent', { params: asked.params ?? {}, body });
        return { by: sandbox.key, asked };
      },
    },
  },
};

const budgets = (env: TenantEnvironment): Asked => ({
  body: { ...inEnvironment(env), onExceeded: 'suggest' },
});

export const budgetScenarios: ScenariosOf<typeof budgetOperations> = {
  getBudgets: { request: env => ({ query: inEnvironment(env) }), refusals: {} },
  setBudgets: {
    request: budgets,
    variants: [
      env => ({
        body: {
          ...inEnvironment(env),
          perRunMicros: 1_000_000,
          perThreadMicros: null,
          perProjectDayMicros: 100_000_000,
          onExceeded: 'paused',
        },
      }),
    ],
    refusals: { 'svc/auth/email_not_verified': unverified(budgets, 'studio admin') },
  },
};
