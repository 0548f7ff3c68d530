/**
 * The webhooks of the chat provider. Nobody is signed in here: the provider proves itself by the channel's verify token, and then by the
 * signature of its app over the bytes that came. A webhook is stored before it is answered, because the provider cannot be asked for it
 * again; what it says is worked through afterwards, by the channel (actors/channel/webhooks.ts).
 *
 * The provider repeats whatever is not answered 200, for a week. So no refusal has an effect, and none is final: once its cause is mended,
 * the repetition is taken.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { type ChatappState, type DoWork, getSecretContext } from '../../actors/channel/index.ts';
import {
  type ChatappIdentity,
  concerns,
  isSignedBy,
  listNames,
  parsePayload,
  type PartnerAppKeys,
} from '../../actors/chatapp/index.ts';
import { notFound, ServiceError } from '../../protocol/errors.ts';
import { deriveThreadId, isId } from '../../protocol/ids.ts';
import type { chatappOperations } from '../../protocol/operations/index.ts';
import type { Node } from '../../runtime/node/index.ts';
import type { Clock } from '../../runtime/time/index.ts';
import { ChatappInbox, type RecentWebhooks } from '../../storage/chatapp/index.ts';
import { type Database, type TenantScope, TtlCache } from '../../storage/database/index.ts';
import { findChatapp } from '../../storage/reads/index.ts';
import type { KeyedHash, Vault } from '../../storage/secrets/index.ts';
import { findPartnerAppSecrets, isVerifyToken } from '../../storage/tenancy/index.ts';
import type { HttpRequest } from '../http/index.ts';
import type { Handlers, StorageRoom } from '../pipeline/index.ts';

interface DirectoryServices {
  readonly database: Pick<Database, 'query'>;
  readonly vault: Pick<Vault, 'open'>;
  readonly clock: Clock;
  readonly ownApp: PartnerAppKeys | undefined;
}

/** What a webhook of the channel is checked with. */
interface WebhookChannel extends TenantScope {
  /** Undefined: the channel is not connected. */
  readonly identity: ChatappIdentity | undefined;
  /** Of the app, the newest first; empty where it is gone. */
  readonly secrets: readonly string[];
  readonly isArchived: boolean;
}

/** How channels are connected, held for a second: what every webhook needs. */
export class WebhookDirectory {
  readonly #services: DirectoryServices;
  readonly #channels: TtlCache<WebhookChannel, string>;

  constructor(services: DirectoryServices) {
    this.#services = services;
    this.#channels = new TtlCache({
      clock: services.clock,
      load: (channelId: string) => this.#load(channelId),
    });
  }

  /** 404 where there is no such chatapp channel, 409 where it is not connected, or its project is archived. */
  async require(channelId: string): Promise<WebhookChannel & { readonly identity: ChatappIdentity }> {
    const channel = isId('channel', channelId) ? await this.#channels.get(channelId, channelId) : undefined;
    if (channel === undefined) throw notFound();
    const { identity, isArchived } = channel;
    if (isArchived) {
      const message =
        'The project of the channel is archived: it takes nothing in until somebody restores it.';
      throw new ServiceError('svc/chatapp/channel_not_connected', { message });
    }
    if (identity === undefined) throw new ServiceError('svc/chatapp/channel_not_connected');
    return { ...channel, identity };
  }

  /** Whether more of a body is taken than costs nothing: only for a channel that gets webhooks. Rejects as `require` does. */
  readonly admitBody = async ({ params }: Pick<HttpRequest, 'params'>): Promise<void> => {
    await this.require(params[0] ?? '');
  };

  /** The channel has changed. */
  forget(channelId: string): void {
    this.#channels.invalidate(channelId);
  }

  async #load(channelId: string): Promise<WebhookChannel | undefined> {
    const { database, vault, clock, ownApp } = this.#services;
    const found = await findChatapp(database, channelId);
    if (found === undefined) return undefined;
    const { projectId, environmentId, isArchived } = found;
    const { connection } = (found.chatapp ?? {}) as Partial<ChatappState>;
    if (connection === undefined || connection === null) {
      return { projectId, environmentId, identity: undefined, secrets: [], isArchived };
    }
    const { wabaId, phoneNumberId, partnerAppCredentialId } = connection;
    const identity = { wabaId, phoneNumberId };
    if (partnerAppCredentialId === null) {
      const secrets = ownApp === undefined ? [] : [ownApp.appSecret];
      return { projectId, environmentId, identity, secrets, isArchived };
    }
    const keys = { projectId, partnerAppCredentialId };
    const app = await findPartnerAppSecrets(database, vault, keys, clock.now());
    const secrets = [app?.appSecret, app?.previousSecret].filter(secret => secret !== undefined);
    return { projectId, environmentId, identity, secrets, isArchived };
  }
}

export interface WebhookServices {
  readonly database: Pick<Database, 'query'>;
  readonly node: Pick<Node, 'tell'>;
  readonly vault: Pick<Vault, 'open'>;
  readonly hash: KeyedHash;
  readonly webhooks: WebhookDirectory;
  /** Those that the channels of this node need not read. */
  readonly recentWebhooks: RecentWebhooks;
  readonly room: StorageRoom;
}

type Operations = Pick<typeof chatappOperations, 'verifyChatappWebhook' | 'receiveChatappWebhook'>;

export function chatappWebhookHandlers(services: WebhookServices): Handlers<Operations> {
  const { database, node, webhooks, recentWebhooks, room } = services;
  const inbox = new ChatappInbox(database, recentWebhooks, channelId => {
    const command: DoWork = { work: 'webhooks', isPosted: true };
    node.tell({ kind: 'channel', id: channelId }, 'work', command);
  });

  return {
    verifyChatappWebhook: async call => {
      const { 'hub.challenge': challenge, 'hub.verify_token': token } = call.query;
      await requireVerifyToken(services, call.params.channelId, token);
      return { json: challenge };
    },

    receiveChatappWebhook: async call => {
      const { channelId } = call.params;
      const { projectId, environmentId, identity, secrets } = await webhooks.require(channelId);
      const { body } = call;
      if (!isSignedBy(body, call.header('x-hub-signature-256'), secrets)) {
        throw new ServiceError('svc/chatapp/invalid_signature');
      }
      if (!room.known.has(projectId)) await room.learn(projectId);
      if (room.full.has(projectId)) room.refuse(projectId);
      room.charge(projectId, body.length);
      const payload = parsePayload(body);
      if (payload === undefined) {
        const message = 'The body is not JSON.';
        throw new ServiceError('svc/validation/invalid_request', { http: 400, message });
      }
      if (!concerns(payload, identity)) throw new ServiceError('svc/chatapp/webhook_identity_mismatch');
      await inbox.add({
        requestId: call.requestId,
        projectId,
        environmentId,
        channelId,
        ...identity,
        receivedAt: new Date(call.now),
        threadIds: listNames(payload, identity).map(name => deriveThreadId(environmentId, channelId, name)),
        body,
        payload,
      });
      return { body: { accepted: true } };
    },
  };
}

/**
 * 401 unless the token is that of the channel itself, which was given to the provider when the channel was connected, or that of a partner
 * app of its workspace, with which somebody has set the address in the provider's settings. 404 where there is no such channel.
 */
async function requireVerifyToken(
  { database, vault, hash }: WebhookServices,
  channelId: string,
  token: string,
): Promise<void> {
  const found = await findChatapp(database, channelId);
  if (found === undefined) throw notFound();
  const { attempt, connection } = (found.chatapp ?? {}) as Partial<ChatappState>;
  for (const holder of [attempt, connection]) {
    if (holder === undefined || holder === null) continue;
    const own = await vault.open(getSecretContext(channelId, 'verify_token'), holder.verifyToken);
    if (isSame(own, token)) return;
  }
  if (await isVerifyToken(database, hash, found.projectId, token)) return;
  throw new ServiceError('svc/chatapp/invalid_verify_token');
}

/** In a time that says nothing of the texts: not even of their lengths. */
function isSame(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
