/** Who a credential is. */
import { ServiceError } from '../../protocol/errors.ts';
import type { callerOperations } from '../../protocol/operations/index.ts';
import type { Caller } from '../../protocol/resources/index.ts';
import type { ApiKeys, Workspaces } from '../../storage/tenancy/index.ts';
import type { Authenticator, InstanceAdmins } from '../auth/index.ts';
import type { Call, Handlers, KeyCaller, UserCaller } from '../pipeline/index.ts';

/** Workspaces that are shown at most: more are read by `GET /workspaces`. */
const shownWorkspaces = 100;

export interface CredentialServices {
  readonly apiKeys: Pick<ApiKeys, 'find'>;
  readonly workspaces: Pick<Workspaces, 'listMemberships'>;
  readonly authenticator: Pick<Authenticator, 'getTokenExpiry'>;
  readonly instanceAdmins: Pick<InstanceAdmins, 'has'>;
}

/** What a credential of another type has. */
const nothing = {
  projectId: null,
  environmentId: null,
  environmentKind: null,
  scopes: null,
  expiresAt: null,
  apiKey: null,
  user: null,
  workspaces: null,
  service: null,
} as const;

export function credentialHandlers(services: CredentialServices): Handlers<typeof callerOperations> {
  const { apiKeys, workspaces, authenticator, instanceAdmins } = services;

  async function describeKey(key: KeyCaller, now: number): Promise<Caller> {
    const { projectId, environmentId, environmentKind, apiKeyId } = key;
    const found = await apiKeys.find(projectId, apiKeyId, now);
    // Removed since its secret was looked up.
    if (found === undefined) throw new ServiceError('svc/auth/invalid_api_key');
    const { name, keyPrefix, expiresAt = null, rotationGraceExpiresAt = null } = found;
    // Instants of one form sort as texts.
    const [end = null] = [expiresAt, rotationGraceExpiresAt].filter(each => each !== null).sort();
    return {
      ...nothing,
      type: 'api_key',
      projectId,
      environmentId,
      environmentKind,
      scopes: [...key.scopes],
      expiresAt: end,
      apiKey: { apiKeyId, name, keyPrefix },
    };
  }

  async function describeUser(user: UserCaller, call: Call): Promise<Caller> {
    const { userId, email, emailVerified } = user;
    const expiry = await authenticator.getTokenExpiry(call.header('authorization'));
    return {
      ...nothing,
      type: 'access_token',
      expiresAt: new Date(expiry).toISOString(),
      user: { userId, email, emailVerified, instanceAdmin: instanceAdmins.has(user) },
      workspaces: await workspaces.listMemberships(userId, shownWorkspaces),
    };
  }

  return {
    getCaller: async call => {
      const { caller } = call;
      switch (caller?.type) {
        case 'key':
          return { body: await describeKey(caller, call.now) };
        case 'user':
          return { body: await describeUser(caller, call) };
        default:
          return { body: { ...nothing, type: 'service_token', service: caller?.name ?? null } };
      }
    },
  };
}
