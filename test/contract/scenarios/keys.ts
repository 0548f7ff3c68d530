import type { keyOperations } from '../../../protocol/operations/keys.ts';
import { signUp } from '../../node/tenant.ts';
import { unique } from '../fixtures.ts';
import type { ScenariosOf } from '../scenario.ts';
import type { Place } from '../world.ts';

const newKey = ({ projectId, kind }: Place, environment = kind === 'sandbox' ? 'test' : 'live') => ({
  body: { projectId, name: unique(), environment, scopes: ['threads:read'] },
});

async function keyId(place: Place): Promise<{ apiKeyId: string }> {
  const { apiKeyId } = await place.person.get<{ apiKeyId: string }>('createApiKey', newKey(place));
  return { apiKeyId };
}

export const keyScenarios: ScenariosOf<typeof keyOperations> = {
  listApiKeys: { request: ({ projectId }) => ({ query: { projectId } }), refusals: {} },
  createApiKey: {
    request: place => newKey(place),
    refusals: {
      'svc/auth/email_not_verified': async world => {
        const { person, projectId } = await signUp(world.line);
        return { by: person, asked: newKey({ ...world.sandbox, projectId }, 'live') };
      },
    },
  },
  rotateApiKey: {
    request: async place => ({ params: await keyId(place), body: {} }),
    variants: [async place => ({ params: await keyId(place), body: { gracePeriodSeconds: 0 } })],
    refusals: {},
  },
  revokeApiKey: {
    request: async place => ({ params: await keyId(place) }),
    refusals: {},
  },
};
