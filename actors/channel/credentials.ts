/**
 * What the provider is asked with for a chatapp channel: the token of its connection, and the app that the token is of. Both are kept
 * sealed, and are opened for the call that needs them.
 */
import type { ChannelStatus } from '../../protocol/resources/index.ts';
import type { Database } from '../../storage/database/index.ts';
import { findChatapp } from '../../storage/reads/index.ts';
import type { Vault } from '../../storage/secrets/index.ts';
import { findPartnerAppSecrets } from '../../storage/tenancy/index.ts';
import type { Tenancy } from '../base/index.ts';
import {
  classifySendError,
  type GraphCredentials,
  type GraphError,
  type PartnerAppKeys,
} from '../chatapp/index.ts';
import type { LoseConnection } from './commands.ts';
import type { ChatappConnection, ChatappState } from './state.ts';

type Secret = 'access_token' | 'verify_token' | 'pin';

/** The context that a secret of a channel is sealed for (storage/secrets/vault.ts). */
export function getSecretContext(channelId: string, secret: Secret): string {
  return `channels/${channelId}/${secret}`;
}

export interface CredentialServices {
  readonly db: Pick<Database, 'query'>;
  readonly vault: Pick<Vault, 'open'>;
  /** The service's own app; undefined: there is none. */
  readonly ownApp: PartnerAppKeys | undefined;
}

/** A connection that the provider can be asked with. */
export interface OpenConnection extends Tenancy {
  readonly status: ChannelStatus;
  readonly connection: ChatappConnection;
  /** As the channel's state has it. */
  readonly postedAt: string | undefined;
  readonly as: GraphCredentials;
  /** Undefined: the app is not configured any more, and calls go without its proof. */
  readonly app: PartnerAppKeys | undefined;
}

/**
 * The channel's connection as it is now; undefined where it has none. With the status `error` it still has the connection that it lost,
 * whose token is of no use.
 *
 * @param now epoch milliseconds
 */
export async function openConnection(
  services: CredentialServices,
  channelId: string,
  now: number,
): Promise<OpenConnection | undefined> {
  const { db, vault } = services;
  const found = await findChatapp(db, channelId);
  const { connection = null, postedAt } = (found?.chatapp ?? {}) as Partial<ChatappState>;
  if (found === undefined || connection === null) return undefined;
  const { projectId, environmentId, status } = found;
  const token = await vault.open(getSecretContext(channelId, 'access_token'), connection.accessToken);
  const app = await findConnectionApp(services, projectId, connection, now);
  const as = { token, ...(app === undefined ? {} : { appSecret: app.appSecret }) };
  return { projectId, environmentId, status, connection, postedAt, as, app };
}

/** What the channel is told where the provider refuses its connection; undefined: the refusal was of something else. */
export function createLoss(
  { projectId, environmentId, connection }: OpenConnection,
  error: GraphError,
): LoseConnection | undefined {
  const { code, message } = error;
  if (code === undefined || classifySendError(error) !== 'connection') return undefined;
  return { projectId, environmentId, accessToken: connection.accessToken, failure: { code, message } };
}

/** The app that a channel is connected with; undefined where it is gone. */
export async function findConnectionApp(
  { db, vault, ownApp }: CredentialServices,
  projectId: string,
  { partnerAppCredentialId }: Pick<ChatappConnection, 'partnerAppCredentialId'>,
  now: number,
): Promise<PartnerAppKeys | undefined> {
  if (partnerAppCredentialId === null) return ownApp;
  return findPartnerAppSecrets(db, vault, { projectId, partnerAppCredentialId }, now);
}
