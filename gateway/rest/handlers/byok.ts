/** BYOK credentials over REST (decisions, section 2): for Studio users only. */
import type { byokOperations } from '../../../protocol/operations/byok.ts';
import { byokGraceSeconds } from '../../../protocol/resources/byok.ts';
import { defaultPageSize } from '../../../protocol/resources/list.ts';
import type { ByokChange, ByokCredentials } from '../../../storage/agents/byok.ts';
import { placeOfByokCredential } from '../../../storage/agents/places.ts';
import type { Database } from '../../../storage/database.ts';
import type { Call, Handlers } from '../handler.ts';
import { deedOf } from './author.ts';
import { placeOfCall, scopeById } from './place.ts';

export interface ByokServices {
  readonly database: Pick<Database, 'query'>;
  readonly credentials: ByokCredentials;
}

/** No answer holds a secret. */
export function byokHandlers({ database, credentials }: ByokServices): Handlers<typeof byokOperations> {
  return {
    listByokCredentials: async call => {
      const { cursor, limit = defaultPageSize } = call.query;
      return { body: await credentials.list(placeOfCall(call), { cursor, limit }, call.now) };
    },

    createByokCredential: async call => {
      const { provider, displayName, secret, modelAllowlist = [], metadata = {} } = call.body;
      const given = { provider, displayName, secret, modelAllowlist, metadata };
      return { body: await credentials.create({ ...placeOfCall(call), ...given, ...deedOf(call) }) };
    },

    rotateByokCredential: async call => {
      const { secret, gracePeriodSeconds = byokGraceSeconds } = call.body;
      const change = await changeOf(call, call.params.byokCredentialId);
      return { body: await credentials.rotate({ ...change, secret, gracePeriodSeconds }) };
    },

    revokeByokCredential: async call => {
      await credentials.revoke(await changeOf(call, call.params.byokCredentialId));
      return {};
    },
  };

  async function changeOf(call: Call, byokCredentialId: string): Promise<ByokChange> {
    const { projectId, environmentId } = await scopeById(
      call,
      database,
      placeOfByokCredential,
      byokCredentialId,
    );
    return { projectId, environmentId, byokCredentialId, ...deedOf(call) };
  }
}
