import type { keyOperations } from '../../../protocol/operations/keys.ts';
import { signUp } from '../../node/tenant.ts';
import { unique } from '../resources.ts';
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

export const keyScenarios: ScenariosOf<typeof keyOperations> = {
  listApiKeys: { request: ({ projectId }) => ({ query: { projectId } }), refusals: {} },
  createApiKey: {
    request: env => newKey(env),
    refusals: {
      'svc/auth/email_not_verified': async fixture => {
        const { person, projectId } = await signUp(fixture.line);
        return { by: person, asked: newKey({ ...fixture.sandbox, projectId }, 'live') };
      },
    },
  },
  rotateApiKey: {
    request: async env => ({ params: await keyId(env), body: {} }),
    variants: [async env => ({ params: await keyId(env), body: { gracePeriodSeconds: 0 } })],
    refusals: {},
  },
  revokeApiKey: {
    request: async env => ({ params: await keyId(env) }),
    refusals: {},
  },
};
