/** API keys (specification, "API key operations"): for Studio users only. */
import { invalid, notFound } from '../../../protocol/errors.ts';
import type { keyOperations } from '../../../protocol/operations/keys.ts';
import type { CreatedApiKey } from '../../../protocol/resources/api-key.ts';
import { defaultPageSize } from '../../../protocol/resources/list.ts';
import type { ApiKeys } from '../../../storage/tenancy/api-keys.ts';
import type { KeyVerifier } from '../../auth/key-verifier.ts';
import type { Handlers } from '../handler.ts';
import { requireUser, requireVerified } from './signed-in.ts';

export interface ApiKeyServices {
  readonly apiKeys: ApiKeys;
  readonly verifier: Pick<KeyVerifier, 'forget'>;
}

/**
 * List, create, revoke. A live key is for verified users only: else 403 `svc/auth/email_not_verified` (decisions
 * section 3).
 */
export function apiKeyHandlers({ apiKeys, verifier }: ApiKeyServices): Handlers<typeof keyOperations> {
  return {
    listApiKeys: async call => {
      const { projectId, cursor, limit = defaultPageSize } = call.query;
      return { body: await apiKeys.list(projectId, { cursor, limit }, call.now) };
    },

    createApiKey: async call => {
      const user = requireUser(call);
      const { projectId, name, environment, scopes } = call.body;
      if (environment === 'live') requireVerified(user);
      const expiresAt = expiry(call.body.expiresAt, call.now);
      const created = await apiKeys.create({
        projectId,
        name,
        environment,
        scopes,
        expiresAt,
        createdByUserId: user.userId,
        now: call.now,
      });
      const { apiKeyId, keyPrefix, createdAt } = created.apiKey;
      const body: CreatedApiKey = {
        apiKeyId,
        projectId,
        name,
        keyPrefix,
        environment,
        scopes: created.apiKey.scopes,
        secret: created.secret,
        createdAt,
        expiresAt: expiresAt?.toISOString() ?? null,
      };
      return { body };
    },

    revokeApiKey: async call => {
      const { apiKeyId } = call.params;
      const projectId = await apiKeys.projectOf(apiKeyId);
      if (projectId === undefined) throw notFound();
      await call.scopeOf(projectId);
      await apiKeys.revoke(projectId, apiKeyId, requireUser(call).userId, call.now);
      verifier.forget(apiKeyId);
      return {};
    },
  };
}

/** The end of the key's life as asked for; refused where it lies behind. */
function expiry(expiresAt: string | null | undefined, now: number): Date | null {
  if (expiresAt === undefined || expiresAt === null) return null;
  const date = new Date(expiresAt);
  if (date.getTime() > now) return date;
  throw invalid([{ path: '/body/expiresAt', message: 'must be in the future', code: 'future' }]);
}
