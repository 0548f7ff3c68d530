/** Chatapp channels: how they are connected to the chat provider, and disconnected. */
import {
  type ChannelRow,
  type ChatappState,
  connectChatapp,
  type ConnectServices,
  decodeChannel,
  disconnectChatapp,
  findConnectionApp,
  toChatappStatus,
} from '../../actors/channel/index.ts';
import type { PartnerAppKeys } from '../../actors/chatapp/index.ts';
import { invalid, notFound, ServiceError } from '../../protocol/errors.ts';
import type { chatappOperations } from '../../protocol/operations/index.ts';
import type { ActorRef } from '../../runtime/actor/index.ts';
import type { Database } from '../../storage/database/index.ts';
import { isUserVerified } from '../../storage/accounts/index.ts';
import { requireFree } from '../../storage/idempotency/index.ts';
import { type ChannelHead, findChannel, findChatapp } from '../../storage/reads/index.ts';
import type { Vault } from '../../storage/secrets/index.ts';
import { findPartnerAppSecrets } from '../../storage/tenancy/index.ts';
import { type Call, commitKey, type Handlers } from '../pipeline/index.ts';
import { createCommandAudit, getAuthor, getUserId } from './caller.ts';
import { getWebhookUrl, type ProviderServices, requireChatapp } from './chatapp-connection.ts';
import type { WebhookDirectory } from './chatapp-webhook.ts';
import { requiredField } from './inbound-messages.ts';

export interface ChatappServices extends ProviderServices {
  readonly vault: Pick<Vault, 'seal' | 'open'>;
  readonly webhooks: Pick<WebhookDirectory, 'forget'>;
  /** The public address of this service, without a slash at the end. */
  readonly baseUrl: string;
}

type Operations = Pick<typeof chatappOperations, 'connectChatapp' | 'disconnectChatapp' | 'getChatappStatus'>;

/** 404 for a channel of another tenant, 409 for one of another kind. */
export function chatappHandlers(services: ChatappServices): Handlers<Operations> {
  const { database, channels } = services;

  return {
    connectChatapp: async call => {
      const { channelId } = call.params;
      const { channel } = await requireChatapp(call, channels, channelId);
      await requireVerifiedCreator(database, call);
      const { projectId: _, partnerAppCredentialId, ...given } = call.body;
      if ((given.code === undefined) === (given.accessToken === undefined)) {
        throw requiredField('accessToken', 'is needed, or a code');
      }
      const order = {
        ...getTenancy(channel),
        channelId,
        given,
        webhookUrl: getWebhookUrl(services.baseUrl, channelId),
        author: getAuthor(call),
        act: createCommandAudit(call),
      };
      const status = await call.once(async key => {
        await requireFree(database, key);
        const app = await findApp(services, call, channel, partnerAppCredentialId);
        return connectChatapp(createConnectServices(services, call), { ...order, app, ...commitKey(key) });
      });
      await forget(services, channelId);
      return { body: status };
    },

    disconnectChatapp: async call => {
      const { channelId } = call.params;
      const { channel } = await requireChatapp(call, channels, channelId);
      const { connection = null } = await findState(database, channelId);
      const order = {
        ...getTenancy(channel),
        channelId,
        connection: connection ?? undefined,
        appSecret: await findSecret(services, call, channel, connection),
        webhookUrl: getWebhookUrl(services.baseUrl, channelId),
        author: getAuthor(call),
        act: createCommandAudit(call),
      };
      const status = await call.once(key =>
        disconnectChatapp(createConnectServices(services, call), { ...order, ...commitKey(key) }),
      );
      await forget(services, channelId);
      return { body: status };
    },

    getChatappStatus: async call => {
      const { channelId } = call.params;
      const { channel } = await requireChatapp(call, channels, channelId);
      const found = await findChannel(database, channel, channelId);
      if (found === undefined) throw notFound();
      const state = decodeChannel(found.row as ChannelRow);
      return { body: toChatappStatus(state, channelId, getWebhookUrl(services.baseUrl, channelId)) };
    },
  };
}

/** What this node knows of the channel by heart. */
async function forget({ channels, webhooks }: ChatappServices, channelId: string): Promise<void> {
  await channels.forget(channelId);
  webhooks.forget(channelId);
}

function getTenancy({
  projectId,
  environmentId,
}: ChannelHead): Pick<ChannelHead, 'projectId' | 'environmentId'> {
  return { projectId, environmentId };
}

/** 403 unless the e-mail of the user who connects the channel, or who made the key, is verified. */
async function requireVerifiedCreator(
  db: Pick<Database, 'query'>,
  call: Pick<Call, 'caller' | 'now'>,
): Promise<void> {
  const { caller } = call;
  const isVerified =
    caller?.type === 'user' ? caller.emailVerified : await isUserVerified(db, getUserId(call));
  if (!isVerified) throw new ServiceError('svc/auth/email_not_verified');
}

async function findState(db: Pick<Database, 'query'>, channelId: string): Promise<Partial<ChatappState>> {
  const found = await findChatapp(db, channelId);
  return (found?.chatapp ?? {}) as Partial<ChatappState>;
}

function createConnectServices(
  { database: db, node, vault, graph, log }: ChatappServices,
  call: Pick<Call, 'requestId'>,
): ConnectServices {
  const ask = (to: ActorRef, command: string, payload: unknown) => node.ask(to, command, payload, call);
  return { db, vault, graph, log, ask };
}

/** The app that a channel is connected with: 404 for a partner app that the workspace does not have, or has revoked. */
async function findApp(
  { database, vault, ownApp }: ChatappServices,
  { now }: Pick<Call, 'now'>,
  { projectId }: ChannelHead,
  partnerAppCredentialId: string | undefined,
): Promise<PartnerAppKeys & { readonly partnerAppCredentialId: string | null }> {
  if (partnerAppCredentialId === undefined) {
    if (ownApp !== undefined) return { ...ownApp, partnerAppCredentialId: null };
    const message = 'is needed: this service has no app of its own';
    throw invalid([{ path: '/body/partnerAppCredentialId', message, code: 'required' }]);
  }
  const found = await findPartnerAppSecrets(database, vault, { projectId, partnerAppCredentialId }, now);
  if (found === undefined) throw notFound('/body/partnerAppCredentialId');
  const { appId, appSecret } = found;
  return { appId, appSecret, partnerAppCredentialId };
}

/** The secret of the app that a channel is connected with; undefined where it is not connected, or the app is gone. */
async function findSecret(
  { database: db, vault, ownApp }: ChatappServices,
  { now }: Pick<Call, 'now'>,
  { projectId }: ChannelHead,
  connection: ChatappState['connection'],
): Promise<string | undefined> {
  if (connection === null) return undefined;
  return (await findConnectionApp({ db, vault, ownApp }, projectId, connection, now))?.appSecret;
}
