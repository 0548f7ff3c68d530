import type { agentOperations } from '../../../protocol/operations/agents.ts';
import type { budgetOperations } from '../../../protocol/operations/budgets.ts';
import type { byokOperations } from '../../../protocol/operations/byok.ts';
import type { loomOperations } from '../../../protocol/operations/looms.ts';
import type { toolOperations } from '../../../protocol/operations/tools.ts';
import type { Asked } from '../../node/client.ts';
import {
  definition,
  newAgent,
  newByokCredential,
  newLoom,
  newTool,
  newVersion,
  unique,
} from '../fixtures.ts';
import type { ScenariosOf } from '../scenario.ts';
import type { Place, Role, World } from '../world.ts';

const inProject = ({ projectId }: Place): { projectId: string } => ({ projectId });
const inEnvironment = ({ projectId, environmentId }: Place) => ({ projectId, environmentId });

/** The request, in production, by somebody whose e-mail is not verified. */
const unverified =
  (request: (place: Place) => Asked | Promise<Asked>, role: Role = 'studio developer') =>
  async ({ production, cast }: World) => ({ by: cast[role], asked: await request(production) });

const newCredential = (place: Place): Asked => ({
  body: {
    ...inEnvironment(place),
    provider: 'llm_provider_2',
    displayName: unique(),
    secret: `secret-${unique()}`,
  },
});

const toCredential = async (place: Place, body?: object): Promise<Asked> => ({
  params: { byokCredentialId: await newByokCredential(place) },
  ...(body === undefined ? {} : { body }),
});

const listCredentials = (place: Place): Asked => ({ query: inEnvironment(place) });
const rotation = (place: Place): Promise<Asked> => toCredential(place, { secret: `secret-${unique()}` });
const revocation = (place: Place): Promise<Asked> => toCredential(place);

export const byokScenarios: ScenariosOf<typeof byokOperations> = {
  listByokCredentials: {
    request: listCredentials,
    refusals: { 'svc/auth/email_not_verified': unverified(listCredentials) },
  },
  createByokCredential: {
    request: newCredential,
    refusals: { 'svc/auth/email_not_verified': unverified(newCredential) },
  },
  rotateByokCredential: {
    request: rotation,
    variants: [place => toCredential(place, { secret: `secret-${unique()}`, gracePeriodSeconds: 0 })],
    refusals: {
      'svc/auth/email_not_verified': unverified(rotation),
      'svc/runtime/conflict': async ({ sandbox }) => {
        const asked = await rotation(sandbox);
        await sandbox.person.get('revokeByokCredential', { params: asked.params ?? {} });
        return { by: sandbox.person, asked };
      },
    },
  },
  revokeByokCredential: {
    request: revocation,
    refusals: { 'svc/auth/email_not_verified': unverified(revocation) },
  },
};

const toTool = async (place: Place, more: object = {}): Promise<Asked> => ({
  params: { toolId: await newTool(place) },
  body: { ...inProject(place), ...more },
});

export const toolScenarios: ScenariosOf<typeof toolOperations> = {
  listTools: { request: place => ({ query: inEnvironment(place) }), refusals: {} },
  createTool: {
    request: place => ({ body: { ...inEnvironment(place), name: unique(), url: place.webhookUrl } }),
    variants: [
      place => ({
        body: {
          ...inEnvironment(place),
          name: unique(),
          url: place.webhookUrl,
          method: 'GET',
          headers: { Authorization: 'Bearer hush' },
          description: 'Finds an order.',
          inputSchema: { type: 'object', properties: { orderId: { type: 'string' } } },
        },
      }),
    ],
    refusals: {},
  },
  getTool: { request: async place => ({ params: { toolId: await newTool(place) } }), refusals: {} },
  updateTool: {
    request: place => toTool(place, { name: unique(), status: 'disabled' }),
    variants: [place => toTool(place, { headers: { 'X-Key': 'hush' }, inputSchema: null })],
    refusals: {},
  },
  testTool: {
    request: place => toTool(place),
    variants: [place => toTool(place, { arguments: { orderId: 'A-1' } })],
    refusals: {},
  },
};

const toLoom = async (place: Place, more: object): Promise<Asked> => ({
  params: { loomId: (await newLoom(place)).loomId },
  body: { ...inProject(place), ...more },
});

/** The request meets a loom that has been archived. */
async function archivedLoom({ sandbox }: World, more: object) {
  const asked = await toLoom(sandbox, more);
  const body = { ...inProject(sandbox), status: 'archived' };
  await sandbox.key.get('updateLoom', { params: asked.params ?? {}, body });
  return { by: sandbox.key, asked };
}

/** Everything that a version can say. */
const whole = async (place: Place) => ({
  ...definition,
  rules: ['Be kind.'],
  mode: 'suggest',
  temperature: 0.5,
  maxTokens: 500,
  toolIds: [await newTool(place)],
  byokCredentialId: await newByokCredential(place),
  metadata: { a: 1 },
});

export const loomScenarios: ScenariosOf<typeof loomOperations> = {
  listLooms: { request: place => ({ query: inEnvironment(place) }), refusals: {} },
  createLoom: {
    request: place => ({ body: { ...inEnvironment(place), name: unique(), ...definition } }),
    variants: [
      async place => ({ body: { ...inEnvironment(place), name: unique(), ...(await whole(place)) } }),
    ],
    refusals: {},
  },
  getLoom: {
    request: async place => ({ params: { loomId: (await newLoom(place)).loomId } }),
    refusals: {},
  },
  updateLoom: {
    request: place => toLoom(place, { name: unique(), status: 'archived' }),
    refusals: {
      'svc/runtime/conflict': async ({ sandbox }) => {
        const { loomId } = await newAgent(sandbox);
        const body = { ...inProject(sandbox), status: 'archived' };
        return { by: sandbox.key, asked: { params: { loomId }, body } };
      },
    },
  },
  activateLoomVersion: {
    request: async place => {
      const { loomId, loomVersionId } = await newVersion(place);
      return { params: { loomId }, body: { ...inProject(place), loomVersionId } };
    },
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
  listLoomVersions: {
    request: async place => ({ params: { loomId: (await newLoom(place)).loomId } }),
    refusals: {},
  },
  createLoomVersion: {
    request: place => toLoom(place, { ...definition, systemPrompt: unique() }),
    variants: [async place => toLoom(place, { ...(await whole(place)), activate: false })],
    refusals: { 'svc/runtime/conflict': world => archivedLoom(world, definition) },
  },
  getLoomVersion: { request: async place => ({ params: await newLoom(place) }), refusals: {} },
  updateLoomVersion: {
    request: async place => ({
      params: await newVersion(place),
      body: { ...inProject(place), status: 'archived' },
    }),
    refusals: {
      'svc/runtime/conflict': async ({ sandbox }) => ({
        by: sandbox.key,
        asked: { params: await newLoom(sandbox), body: { ...inProject(sandbox), status: 'archived' } },
      }),
    },
  },
};

const toAgent = async (place: Place, more: object): Promise<Asked> => ({
  params: { agentId: (await newAgent(place)).agentId },
  body: { ...inProject(place), ...more },
});

export const agentScenarios: ScenariosOf<typeof agentOperations> = {
  listAgents: { request: place => ({ query: inEnvironment(place) }), refusals: {} },
  createAgent: {
    request: place => ({ body: { ...inEnvironment(place), name: unique() } }),
    variants: [
      async place => ({
        body: {
          ...inEnvironment(place),
          name: unique(),
          mode: 'auto',
          loomId: (await newLoom(place)).loomId,
        },
      }),
    ],
    refusals: {
      'svc/runtime/conflict': async world => {
        const { asked } = await archivedLoom(world, {});
        const { sandbox } = world;
        const body = { ...inProject(sandbox), name: unique(), loomId: asked.params?.['loomId'] };
        return { by: sandbox.key, asked: { body } };
      },
    },
  },
  getAgent: {
    request: async place => ({ params: { agentId: (await newAgent(place)).agentId } }),
    refusals: {},
  },
  updateAgent: {
    request: place => toAgent(place, { name: unique(), mode: 'suggest' }),
    variants: [
      place => toAgent(place, { archived: true }),
      async place => toAgent(place, { loomId: (await newLoom(place)).loomId }),
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

const budgets = (place: Place): Asked => ({ body: { ...inEnvironment(place), onExceeded: 'suggest' } });

export const budgetScenarios: ScenariosOf<typeof budgetOperations> = {
  getBudgets: { request: place => ({ query: inEnvironment(place) }), refusals: {} },
  setBudgets: {
    request: budgets,
    variants: [
      place => ({
        body: {
          ...inEnvironment(place),
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
