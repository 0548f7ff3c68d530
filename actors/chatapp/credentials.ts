/** What the provider says of an access token, and a new one for it. */
import { type Graph, type GraphCredentials, GraphError, read, readList, readText } from './graph.ts';
import { lastInstant } from './payload.ts';

/** A partner app, or the service's own. */
export interface PartnerAppKeys {
  readonly appId: string;
  readonly appSecret: string;
}

/** The permissions that a token needs. */
export const messagingScope = 'whatsapp_business_messaging';
export const managementScope = 'whatsapp_business_management';

/** A token as the provider knows it. */
export interface TokenFacts {
  /** Undefined: the answer does not say. */
  readonly isValid: boolean | undefined;
  /** Why it is not valid, in the provider's words; empty where it gave none. */
  readonly refusal: string;
  readonly appId: string;
  /** Of a system user, who is no person: such a token may be renewed. */
  readonly isOfSystemUser: boolean;
  /** ISO 8601; null: never. */
  readonly expiresAt: string | null;
  /** When the app has to be allowed anew to read the account's data; null: never. */
  readonly dataAccessExpiresAt: string | null;
  readonly scopes: readonly string[];
  /** The accounts that it reaches; undefined: it need not name them. */
  readonly accounts: readonly string[] | undefined;
}

/** Rejects with {@link GraphError}: with code 190 where it is the app's secret that is refused. */
export async function inspectToken(
  graph: Graph,
  { appId, appSecret }: PartnerAppKeys,
  token: string,
  signal: AbortSignal,
): Promise<TokenFacts> {
  const as = { token: `${appId}|${appSecret}` };
  const answer = await graph.call({ path: 'debug_token', as, query: { input_token: token } }, signal);
  const data = read(answer, 'data');
  const isValid = read(data, 'is_valid');
  const target = readList(data, 'granular_scopes').find(each => readText(each, 'scope') === managementScope);
  const named = read(target, 'target_ids');
  return {
    isValid: typeof isValid === 'boolean' ? isValid : undefined,
    refusal: readText(read(data, 'error'), 'message'),
    appId: readText(data, 'app_id'),
    isOfSystemUser: readText(data, 'type') === 'SYSTEM_USER',
    expiresAt: readInstant(data, 'expires_at'),
    dataAccessExpiresAt: readInstant(data, 'data_access_expires_at'),
    scopes: readList(data, 'scopes').filter(each => typeof each === 'string'),
    // Numbers in the provider's JSON are ids, too.
    accounts: Array.isArray(named) ? named.map(String) : undefined,
  };
}

/** Epoch seconds, of which 0 and none mean never. */
function readInstant(node: unknown, name: string): string | null {
  const seconds = Number(readText(node, name));
  return seconds > 0 ? new Date(Math.min(seconds * 1_000, lastInstant)).toISOString() : null;
}

/**
 * A new token for one that has not ended yet. Rejects with {@link GraphError} where the provider does not renew it.
 *
 * @param now epoch milliseconds
 */
export async function renewToken(
  graph: Graph,
  { appId, appSecret }: PartnerAppKeys,
  token: string,
  now: number,
  signal: AbortSignal,
): Promise<{ readonly token: string; readonly expiresAt: string | null }> {
  const query = {
    grant_type: 'fb_exchange_token',
    client_id: appId,
    client_secret: appSecret,
    set_token_expires_in_60_days: 'true',
    fb_exchange_token: token,
  };
  const answer = await graph.call({ path: 'oauth/access_token', query }, signal);
  const renewed = readText(answer, 'access_token');
  if (renewed === '') throw new GraphError('The provider gave no token in exchange.');
  const seconds = Number(readText(answer, 'expires_in'));
  return {
    token: renewed,
    expiresAt: seconds > 0 ? new Date(Math.min(now + seconds * 1_000, lastInstant)).toISOString() : null,
  };
}

/** The ids of the apps that get the account's events. Rejects with {@link GraphError}. */
export async function listSubscribedApps(
  graph: Graph,
  as: GraphCredentials,
  wabaId: string,
  signal: AbortSignal,
): Promise<string[]> {
  const path = `${encodeURIComponent(wabaId)}/subscribed_apps`;
  const answer = await graph.call({ path, as }, signal);
  return readList(answer, 'data').map(each => readText(read(each, 'whatsapp_business_api_data'), 'id'));
}

/** Whether the provider refuses the token itself, whatever it is used for. */
export function isTokenRefusal(code: number | null | undefined): boolean {
  return code === 0 || code === 190;
}
