/**
 * Looks whether the provider still accepts a channel's connection: once a day, when the token is about to end, and when the provider says
 * that something has happened to the account. A token that ends soon is renewed where the provider does so. Nothing is said of what the
 * provider does not answer: the channel's reminder comes again.
 */
import type { ActorRef } from '../../runtime/actor/index.ts';
import type { Log } from '../../runtime/observability/index.ts';
import type { Vault } from '../../storage/secrets/index.ts';
import {
  classifySendError,
  type Graph,
  GraphError,
  inspectToken,
  listSubscribedApps,
  renewToken,
  type TokenFacts,
} from '../chatapp/index.ts';
import type { CredentialsSeen, LoseConnection } from './commands.ts';
import {
  type CredentialServices,
  getSecretContext,
  type OpenConnection,
  openConnection,
} from './credentials.ts';

export interface LookServices extends CredentialServices {
  readonly graph: Graph;
  readonly vault: Pick<Vault, 'open' | 'seal'>;
  readonly log: Log;
  readonly ask: (to: ActorRef, command: string, payload: unknown) => Promise<unknown>;
  readonly now: () => number;
}

/** All calls of one look, in milliseconds. */
const lookMs = 20_000;

/** A token that ends within this time is renewed, in milliseconds: when the first warning would be due. */
const renewalMs = 7 * 86_400_000;

type Failure = LoseConnection['failure'];

export async function lookAtConnection(services: LookServices, channelId: string): Promise<void> {
  const open = await openConnection(services, channelId, services.now());
  if (open?.status !== 'connected') return;
  const signal = AbortSignal.timeout(lookMs);
  const token = await inspect(services, channelId, open, signal);
  const failure = token?.isValid === false ? toExpiry(token) : await findFailure(services, open, signal);
  if (failure === 'unanswered') return;
  const { projectId, environmentId, connection } = open;
  const about = { projectId, environmentId, accessToken: connection.accessToken };
  const channel = { kind: 'channel', id: channelId };
  if (failure !== undefined) {
    const command: LoseConnection = { ...about, failure };
    await services.ask(channel, 'loseConnection', command);
    return;
  }
  const tokenExpiresAt = token === undefined ? connection.tokenExpiresAt : token.expiresAt;
  const renewed = await renew(services, channelId, open, { token, tokenExpiresAt }, signal);
  const command: CredentialsSeen = { ...about, tokenExpiresAt, ...renewed };
  await services.ask(channel, 'credentialsSeen', command);
}

/** Undefined where the provider does not say: the app's own secret may be wrong, which says nothing of the token. */
async function inspect(
  { graph, log }: LookServices,
  channelId: string,
  { app, as }: OpenConnection,
  signal: AbortSignal,
): Promise<TokenFacts | undefined> {
  if (app === undefined) return undefined;
  try {
    const token = await inspectToken(graph, app, as.token, signal);
    return token.isValid === undefined ? undefined : token;
  } catch (err) {
    if (!(err instanceof GraphError)) throw err;
    log.warn({ err, channelId }, 'the chat provider does not say how long a token is valid');
    return undefined;
  }
}

function toExpiry({ refusal }: TokenFacts): Failure {
  return { code: 190, message: refusal === '' ? 'The access token is not valid any more.' : refusal };
}

/** Whether the token still reaches the account, and the app gets its events. */
async function findFailure(
  { graph }: LookServices,
  { connection, as }: OpenConnection,
  signal: AbortSignal,
): Promise<Failure | 'unanswered' | undefined> {
  try {
    const subscribed = await listSubscribedApps(graph, as, connection.wabaId, signal);
    if (subscribed.includes(connection.appId)) return undefined;
    return { code: null, message: 'The app is not subscribed to the business account any more.' };
  } catch (error) {
    if (!(error instanceof GraphError)) throw error;
    const { code, subcode, message } = error;
    const isGone = code === 100 && subcode === 33;
    if (code !== undefined && (isGone || classifySendError(error) === 'connection')) return { code, message };
    return 'unanswered';
  }
}

/** A new token where the old one ends soon, and is one that can be renewed; else the channel's owners are told. */
async function renew(
  { graph, vault, log, now }: LookServices,
  channelId: string,
  { app, as }: OpenConnection,
  {
    token,
    tokenExpiresAt,
  }: { readonly token: TokenFacts | undefined; readonly tokenExpiresAt: string | null },
  signal: AbortSignal,
): Promise<Partial<Pick<CredentialsSeen, 'renewed' | 'tokenExpiresAt'>>> {
  if (app === undefined || token?.isOfSystemUser !== true || tokenExpiresAt === null) return {};
  if (Date.parse(tokenExpiresAt) - now() > renewalMs) return {};
  try {
    const renewed = await renewToken(graph, app, as.token, now(), signal);
    return {
      renewed: await vault.seal(getSecretContext(channelId, 'access_token'), renewed.token),
      tokenExpiresAt: renewed.expiresAt,
    };
  } catch (err) {
    if (!(err instanceof GraphError)) throw err;
    log.info({ err, channelId }, 'the chat provider did not renew a token');
    return {};
  }
}
