import type { callerOperations } from '../../../protocol/operations/caller.ts';
import type { keyOperations } from '../../../protocol/operations/keys.ts';
import { signUp } from '../../node/tenant.ts';
import { unique } from '../resources.ts';
import { defaultLimits } from '../../../storage/writes/limits.ts';
import { atLimit, type Copies, copyRow, createTenantEnvironment } from '../limits.ts';
import type { ScenariosOf } from '../scenario.ts';
import type { TenantEnvironment } from '../contract-fixture.ts';

const newKey = (
  { projectId, kind }: TenantEnvironment,
  environment = kind === 'sandbox' ? 'test' : 'live',
) => ({
  body: { projectId, name: unique(), environment, scopes: ['threads:read'] },
});

async function keyId(env: TenantEnvironment): Promise<{ apiKeyId: string }> {
  const { apiKeyId } = await env.person.get<{ apiKeyId: string }>('createApiKey', newKey(env));
  return { apiKeyId };
}

const request = (env: TenantEnvironment) => newKey(env);
const rotation = async (env: TenantEnvironment) => ({ params: await keyId(env), body: {} });

// The hash of a key's secret is unique.
const keys: Copies = {
  table: 'api_keys',
  id: 'api_key_id',
  columns: { key_hash: `'\\x' || md5(t.api_key_id || n)` },
};

export const callerScenarios: ScenariosOf<typeof callerOperations> = {
  getCaller: { request: () => ({}), by: ({ key }) => key, refusals: {} },
};

export const keyScenarios: ScenariosOf<typeof keyOperations> = {
  listApiKeys: { request: ({ projectId }) => ({ query: { projectId } }), refusals: {} },
  createApiKey: {
    request,
    refusals: {
      'svc/auth/email_not_verified': async fixture => {
        const { person, projectId } = await signUp(fixture.line);
        return { by: person, asked: newKey({ ...fixture.sandbox, projectId }, 'live') };
      },
      'svc/runtime/conflict': atLimit('apiKeys', 'createApiKey', request, keys),
    },
  },
  getApiKey: { request: async env => ({ params: await keyId(env) }), refusals: {} },
  updateApiKey: {
    request: async env => ({ params: await keyId(env), body: { name: unique() } }),
    refusals: {},
  },
  rotateApiKey: {
    request: rotation,
    variants: [async env => ({ params: await keyId(env), body: { gracePeriodSeconds: 0 } })],
    refusals: {
      'svc/runtime/conflict': async fixture => {
        const env = await createTenantEnvironment(fixture);
        const asked = await rotation(env);
        await copyRow(env, keys, defaultLimits.apiKeys);
        return { by: env.person, asked };
      },
    },
  },
  revokeApiKey: {
    request: async env => ({ params: await keyId(env) }),
    refusals: {},
  },
};
