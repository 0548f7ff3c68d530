/** API keys (specification, "API key operations"): for Studio users only. */
import { invalid, notFound } from '../../../protocol/errors.ts';
import type { keyOperations } from '../../../protocol/operations/keys.ts';
import {
  defaultGraceSeconds,
  type CreatedApiKey,
  type RotatedApiKey,
} from '../../../protocol/resources/api-key.ts';
import { defaultPageSize } from '../../../protocol/resources/list.ts';
import type { ApiKeys, KeyChange, NewKey } from '../../../storage/tenancy/api-keys.ts';
import type { KeyVerifier } from '../../auth/key-verifier.ts';
import type { Call, Handlers } from '../handler.ts';
import { doingOf, requireUser, requireVerified } from './signed-in.ts';

export interface ApiKeyServices {
  readonly apiKeys: ApiKeys;
  readonly verifier: Pick<KeyVerifier, 'forget'>;
}

/**
 * List, create, rotate, revoke. A live key is for verified users only: else 403 `svc/auth/email_not_verified` (decisions
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
      const key = { projectId, name, environment, scopes, expiresAt };
      return { body: created(await apiKeys.create({ ...key, ...doingOf(call) })) };
    },

    rotateApiKey: async call => {
      const { gracePeriodSeconds = defaultGraceSeconds } = call.body;
      const change = await changeOf(call, call.params.apiKeyId, 'verified');
      const { previous, ...made } = await apiKeys.rotate({ ...change, gracePeriodSeconds });
      verifier.forget(previous.apiKeyId);
      const body: RotatedApiKey = {
        newKey: created(made),
        previousKeyId: previous.apiKeyId,
        rotationGraceExpiresAt: previous.rotationGraceExpiresAt ?? null,
      };
      return { body };
    },

    revokeApiKey: async call => {
      const change = await changeOf(call, call.params.apiKeyId);
      await apiKeys.revoke(change);
      verifier.forget(change.apiKeyId);
      return {};
    },
  };

  /** 404 where the key is not there or not the caller's to change: live ones are for verified users to rotate. */
  async function changeOf(call: Call, apiKeyId: string, ifLive?: 'verified'): Promise<KeyChange> {
    const home = await apiKeys.homeOf(apiKeyId);
    if (home === undefined) throw notFound();
    const { projectId, environmentId, environment } = home;
    // Production is closed to whoever has not verified the e-mail, but for revoking its keys.
    const isClosed = environment === 'live' && !requireUser(call).emailVerified;
    await call.scopeOf(projectId, isClosed ? undefined : environmentId);
    if (isClosed && ifLive === 'verified') throw notFound();
    return { projectId, apiKeyId, ...doingOf(call) };
  }
}

function created({ apiKey, secret }: NewKey): CreatedApiKey {
  const { apiKeyId, projectId, name, keyPrefix, environment, scopes, createdAt, expiresAt } = apiKey;
  return {
    ...{ apiKeyId, projectId, name, keyPrefix, environment, scopes, secret, createdAt },
    expiresAt: expiresAt ?? null,
  };
}

/** The end of the key's life as asked for; refused where it lies behind. */
function expiry(expiresAt: string | null | undefined, now: number): Date | null {
  if (expiresAt === undefined || expiresAt === null) return null;
  const date = new Date(expiresAt);
  if (date.getTime() > now) return date;
  throw invalid([{ path: '/body/expiresAt', message: 'must be in the future', code: 'future' }]);
}
