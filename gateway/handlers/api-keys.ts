/** API keys: for Studio users only. */
import { invalid, notFound } from '../../protocol/errors.ts';
import type { keyOperations } from '../../protocol/operations/index.ts';
import {
  type CreatedApiKey,
  defaultGraceSeconds,
  defaultPageSize,
  type RotatedApiKey,
} from '../../protocol/resources/index.ts';
import type { ApiKeys, KeyChange, NewKey } from '../../storage/tenancy/index.ts';
import type { KeyVerifier } from '../auth/index.ts';
import type { Call, Handlers } from '../pipeline/index.ts';
import { createUserAuditContext, requireUser, requireVerified } from './caller.ts';

export interface ApiKeyServices {
  readonly apiKeys: ApiKeys;
  readonly verifier: Pick<KeyVerifier, 'forget'>;
}

/**
 * List, read, create, rename, rotate, revoke. A live key is for verified users only: else 403 `svc/auth/email_not_verified`
 * (docs/contract-decisions.md, "Who may do what").
 */
export function apiKeyHandlers(services: ApiKeyServices): Handlers<typeof keyOperations> {
  return { ...readHandlers(services), ...writeHandlers(services) };
}

type Reads = Pick<typeof keyOperations, 'listApiKeys' | 'getApiKey'>;

function readHandlers({ apiKeys }: ApiKeyServices): Handlers<Reads> {
  return {
    listApiKeys: async call => {
      const { projectId, cursor, limit = defaultPageSize } = call.query;
      return { body: await apiKeys.list(projectId, { cursor, limit }, call.now) };
    },

    getApiKey: async call => {
      const { apiKeyId } = call.params;
      const home = await apiKeys.findLocation(apiKeyId);
      if (home === undefined) throw notFound();
      await call.authoriseScope(home.projectId);
      const found = await apiKeys.find(home.projectId, apiKeyId, call.now);
      if (found === undefined) throw notFound();
      return { body: found };
    },
  };
}

function writeHandlers({
  apiKeys,
  verifier,
}: ApiKeyServices): Handlers<Omit<typeof keyOperations, keyof Reads>> {
  return {
    createApiKey: async call => {
      const user = requireUser(call);
      const { projectId, name, environment, scopes } = call.body;
      if (environment === 'live') requireVerified(user);
      const apiKey = { projectId, name, environment, scopes, ...createUserAuditContext(call) };
      const made = await call.once(key => {
        const expiresAt = expiry(call.body.expiresAt, call.now);
        return apiKeys.create({ ...apiKey, expiresAt, key });
      });
      return { body: created(made) };
    },

    updateApiKey: async call => {
      const change = await createChange(call, call.params.apiKeyId, 'verified');
      return { body: await apiKeys.rename({ ...change, name: call.body.name }) };
    },

    rotateApiKey: async call => {
      const { gracePeriodSeconds = defaultGraceSeconds } = call.body;
      const change = await createChange(call, call.params.apiKeyId, 'verified');
      const { previous, ...made } = await call.once(key =>
        apiKeys.rotate({ ...change, gracePeriodSeconds, key }),
      );
      verifier.forget(previous.apiKeyId);
      const body: RotatedApiKey = {
        newKey: created(made),
        previousKeyId: previous.apiKeyId,
        rotationGraceExpiresAt: previous.rotationGraceExpiresAt ?? null,
      };
      return { body };
    },

    revokeApiKey: async call => {
      const change = await createChange(call, call.params.apiKeyId);
      await apiKeys.revoke(change);
      verifier.forget(change.apiKeyId);
      return {};
    },
  };

  /** 404 where the key is not there or not the caller's to change: live ones are for verified users to rotate. */
  async function createChange(call: Call, apiKeyId: string, ifLive?: 'verified'): Promise<KeyChange> {
    const home = await apiKeys.findLocation(apiKeyId);
    if (home === undefined) throw notFound();
    const { projectId, environmentId, environment } = home;
    // Production is closed to users without a verified e-mail, except for revoking its keys.
    const isClosed = environment === 'live' && !requireUser(call).emailVerified;
    await call.authoriseScope(projectId, isClosed ? undefined : environmentId);
    if (isClosed && ifLive === 'verified') throw notFound();
    return { projectId, apiKeyId, ...createUserAuditContext(call) };
  }
}

function created({ apiKey, secret }: NewKey): CreatedApiKey {
  const { apiKeyId, projectId, name, keyPrefix, environment, scopes, createdAt, expiresAt } = apiKey;
  return {
    apiKeyId,
    projectId,
    name,
    keyPrefix,
    environment,
    scopes,
    secret,
    createdAt,
    expiresAt: expiresAt ?? null,
  };
}

/** When the key expires, as requested; refused where that has passed. */
function expiry(expiresAt: string | null | undefined, now: number): Date | null {
  if (expiresAt === undefined || expiresAt === null) return null;
  const date = new Date(expiresAt);
  if (date.getTime() > now) return date;
  throw invalid([{ path: '/body/expiresAt', message: 'must be in the future', code: 'future' }]);
}
