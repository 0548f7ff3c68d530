/** What the handlers share that ask the chat provider something for a channel. */
import { createLoss, openConnection, type OpenConnection } from '../../actors/channel/index.ts';
import {
  classifySendError,
  type Graph,
  type GraphError,
  type PartnerAppKeys,
} from '../../actors/chatapp/index.ts';
import { conflict, invalid, ServiceError } from '../../protocol/errors.ts';
import type { Node } from '../../runtime/node/index.ts';
import type { Log } from '../../runtime/observability/index.ts';
import type { Database } from '../../storage/database/index.ts';
import type { Vault } from '../../storage/secrets/index.ts';
import type { Call } from '../pipeline/index.ts';
import { type ChannelDirectory, requireChannel } from './channel-directory.ts';

export interface ProviderServices {
  readonly database: Pick<Database, 'query'>;
  readonly node: Pick<Node, 'ask'>;
  readonly vault: Pick<Vault, 'open'>;
  readonly channels: ChannelDirectory;
  readonly graph: Graph;
  /** The service's own app; undefined: there is none. */
  readonly ownApp: PartnerAppKeys | undefined;
  readonly log: Log;
}

/** Where the provider posts a channel's events. */
export function getWebhookUrl(baseUrl: string, channelId: string): string {
  return `${baseUrl}/v1/channels/${channelId}/chatapp/webhook`;
}

/** 404 for a channel of another tenant, 409 for one of another kind. */
export async function requireChatapp(
  call: Parameters<typeof requireChannel>[0],
  channels: ChannelDirectory,
  channelId: string,
): ReturnType<typeof requireChannel> {
  const found = await requireChannel(call, channels, channelId);
  if (found.channel.kind !== 'chatapp') throw conflict('The channel is not a chatapp channel.');
  return found;
}

/** The channel's connection; undefined where it has none. */
export function findConnection(
  { database: db, vault, ownApp }: Pick<ProviderServices, 'database' | 'vault' | 'ownApp'>,
  { now }: Pick<Call, 'now'>,
  channelId: string,
): Promise<OpenConnection | undefined> {
  return openConnection({ db, vault, ownApp }, channelId, now);
}

/** Tells the channel where the provider refuses its connection, whatever it was asked. */
export async function reportLoss(
  { node }: Pick<ProviderServices, 'node'>,
  call: Pick<Call, 'requestId'>,
  channelId: string,
  open: OpenConnection,
  error: GraphError,
): Promise<void> {
  const loss = createLoss(open, error);
  if (loss !== undefined) await node.ask({ kind: 'channel', id: channelId }, 'loseConnection', loss, call);
}

/** How a refusal of the provider is answered: by what the caller can do about it. */
export function toServiceError(error: GraphError): ServiceError {
  const { code = null, message } = error;
  switch (classifySendError(error)) {
    case 'connection':
      return new ServiceError('svc/chatapp/channel_not_connected', {
        message: `The provider refuses the channel's connection: ${message}`,
        details: { code },
      });
    case 'refused':
      return invalid([{ path: '/query', message, code: 'provider' }], 'The provider refuses the request.');
    case 'lost':
    case 'throttled':
    case 'temporary':
      return new ServiceError('svc/runtime/unavailable', { message, retryAfterSeconds: 30 });
  }
}
