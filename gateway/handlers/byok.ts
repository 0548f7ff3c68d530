/** Credentials for model providers (bring your own key): for Studio users only. */
import type { byokOperations } from '../../protocol/operations/index.ts';
import { byokGraceSeconds, defaultPageSize } from '../../protocol/resources/index.ts';
import {
  type ByokChange,
  type ByokCredentials,
  findByokCredentialTenant,
} from '../../storage/agents/index.ts';
import type { Database } from '../../storage/database/index.ts';
import type { Call, Handlers } from '../pipeline/index.ts';
import { createAuditContext } from './caller.ts';
import { requireScope, resolveScope } from './tenant-scope.ts';

export interface ByokServices {
  readonly database: Pick<Database, 'query'>;
  readonly credentials: ByokCredentials;
}

/** No answer contains a secret. */
export function byokHandlers({ database, credentials }: ByokServices): Handlers<typeof byokOperations> {
  return {
    listByokCredentials: async call => {
      const { cursor, limit = defaultPageSize } = call.query;
      return { body: await credentials.list(requireScope(call), { cursor, limit }, call.now) };
    },

    createByokCredential: async call => {
      const { provider, displayName, secret, modelAllowlist = [], metadata = {} } = call.body;
      const given = { provider, displayName, secret, modelAllowlist, metadata };
      const request = { ...requireScope(call), ...given, ...createAuditContext(call) };
      return { body: await call.once(key => credentials.create({ ...request, key })) };
    },

    updateByokCredential: async call => {
      const change = await createChange(call, call.params.byokCredentialId);
      return { body: await credentials.update({ ...change, changes: call.body }) };
    },

    rotateByokCredential: async call => {
      const { secret, gracePeriodSeconds = byokGraceSeconds } = call.body;
      const change = await createChange(call, call.params.byokCredentialId);
      return {
        body: await call.once(key => credentials.rotate({ ...change, secret, gracePeriodSeconds, key })),
      };
    },

    revokeByokCredential: async call => {
      await credentials.revoke(await createChange(call, call.params.byokCredentialId));
      return {};
    },
  };

  async function createChange(call: Call, byokCredentialId: string): Promise<ByokChange> {
    const { projectId, environmentId } = await resolveScope(
      call,
      database,
      findByokCredentialTenant,
      byokCredentialId,
    );
    return { projectId, environmentId, byokCredentialId, ...createAuditContext(call) };
  }
}
