/**
 * Connects a chatapp channel to a number at the provider, and disconnects it. This is the part with I/O: the channel says that an attempt
 * begins, the provider is asked step by step (actors/chatapp), and the channel is told how it ended. If the node ends meanwhile, the channel
 * ends the attempt by itself (decide-connection.ts).
 */
import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { conflict, ServiceError } from '../../protocol/errors.ts';
import type { Actor, ChatappStatus, ConnectChatappBody } from '../../protocol/resources/index.ts';
import { type ActorRef, isRefusal } from '../../runtime/actor/index.ts';
import type { Log } from '../../runtime/observability/index.ts';
import type { Database } from '../../storage/database/index.ts';
import { findChatapp, findNumberChannel, sharesAccount } from '../../storage/reads/index.ts';
import type { Vault } from '../../storage/secrets/index.ts';
import type { Audited, Keyed, Tenancy } from '../base/index.ts';
import {
  ConnectFailed,
  connectNumber,
  type ConnectRequest,
  disconnectNumber,
  type Graph,
  type PartnerAppKeys,
} from '../chatapp/index.ts';
import type {
  BeginConnect,
  BegunConnect,
  CompleteConnect,
  Disconnect,
  FailConnect,
  ReserveNumber,
} from './commands.ts';
import { getSecretContext } from './credentials.ts';
import type { ChatappConnection, ChatappState } from './state.ts';

export interface ConnectServices {
  readonly graph: Graph;
  readonly db: Pick<Database, 'query'>;
  readonly vault: Pick<Vault, 'seal' | 'open'>;
  readonly log: Log;
  /** Rejects with the `ServiceError` of the actor that was asked. */
  readonly ask: (to: ActorRef, command: string, payload: unknown) => Promise<unknown>;
}

/** An app, and the credential that it is; null: the service's own app. */
export interface ChannelApp extends PartnerAppKeys {
  readonly partnerAppCredentialId: string | null;
}

/** The commit that completes the connection carries the key. */
export interface ConnectChatapp extends Tenancy, Audited, Keyed {
  readonly channelId: string;
  readonly app: ChannelApp;
  readonly given: Omit<ConnectChatappBody, 'projectId' | 'partnerAppCredentialId'>;
  /** The channel's public address for webhooks. */
  readonly webhookUrl: string;
  readonly author: Actor;
}

/** All calls of the provider together, in milliseconds: less than a caller waits (gateway/http/traffic.ts). */
const connectMs = 25_000;
const disconnectMs = 10_000;

/**
 * Resolves with how the channel is connected. Rejects with 422 `svc/chatapp/connect_failed` where a step failed, 409 where the
 * channel or the number is connected already.
 */
export async function connectChatapp(
  services: ConnectServices,
  request: ConnectChatapp,
): Promise<ChatappStatus> {
  const { vault, ask } = services;
  const { projectId, environmentId, channelId, app, author, act } = request;
  const attemptId = randomUUID();
  const verifyToken = randomBytes(32).toString('base64url');
  const begin: BeginConnect = {
    projectId,
    environmentId,
    attempt: {
      attemptId,
      keyHash: request.key?.keyHash ?? null,
      partnerAppCredentialId: app.partnerAppCredentialId,
      verifyToken: await vault.seal(getSecretContext(channelId, 'verify_token'), verifyToken),
      pin: await vault.seal(getSecretContext(channelId, 'pin'), request.given.pin ?? createPin()),
      isPinGiven: request.given.pin !== undefined,
    },
    author,
    ...(act === undefined ? {} : { act }),
  };
  const channel = { kind: 'channel', id: channelId };
  const begun = (await ask(channel, 'beginConnect', begin)) as BegunConnect;
  const attempt: Attempt = { ...begun, attemptId, verifyToken, isRegistered: false };
  try {
    return await connectWithin(services, request, attempt);
  } catch (error) {
    const failure = toFailure(error);
    if (failure !== undefined) {
      const { isRegistered } = attempt;
      const command: FailConnect = { projectId, environmentId, attemptId, isRegistered, failure, author };
      await ask(channel, 'failConnect', command);
    }
    if (!(error instanceof ConnectFailed)) throw error;
    const { step, code = null, message } = error;
    throw new ServiceError('svc/chatapp/connect_failed', { message, details: { step, code } });
  }
}

/** What the channel is told of an attempt. Undefined where it is not known how it ended: the channel's reminder settles that. */
function toFailure(error: unknown): FailConnect['failure'] | undefined {
  if (error instanceof ConnectFailed) {
    return { step: error.step, code: error.code ?? null, message: error.message };
  }
  return isRefusal(error) ? { step: 'find_number', code: null, message: error.message } : undefined;
}

function createPin(): string {
  return String(randomInt(1_000_000)).padStart(6, '0');
}

interface Attempt extends BegunConnect {
  readonly attemptId: string;
  readonly verifyToken: string;
  /** Whether the number may have been registered with the PIN. */
  isRegistered: boolean;
}

async function connectWithin(
  services: ConnectServices,
  request: ConnectChatapp,
  attempt: Attempt,
): Promise<ChatappStatus> {
  const { graph, vault, ask, db, log } = services;
  const { projectId, environmentId, channelId, app, given, webhookUrl, author, key } = request;
  const { attemptId, verifyToken, phoneNumberId: ownPhoneNumberId } = attempt;
  const { pin: _, ...named } = given;
  const { appId } = app;
  const asked: ConnectRequest = {
    ...named,
    app,
    callbackUrl: webhookUrl,
    verifyToken,
    pin: await vault.open(getSecretContext(channelId, 'pin'), attempt.pin),
    ownPhoneNumberId,
    admit: async phoneNumberId => {
      await requireFreeNumber(services, request, phoneNumberId);
      const reserve: ReserveNumber = { projectId, environmentId, attemptId, phoneNumberId };
      await ask({ kind: 'channel', id: channelId }, 'reserveNumber', reserve);
    },
    noteRegistered: () => void (attempt.isRegistered = true),
    isOver: () => isOver(services, request, attemptId),
    sharesAccount: wabaId => sharesAccount(db, { channelId, wabaId, appId }),
  };
  const { number, undo, confirm } = await connectNumber(graph, asked, AbortSignal.timeout(connectMs));
  const { accessToken, ...shown } = number;
  const complete: CompleteConnect = {
    projectId,
    environmentId,
    attemptId,
    connection: {
      ...shown,
      appId,
      accessToken: await vault.seal(getSecretContext(channelId, 'access_token'), accessToken),
    },
    isRegistered: attempt.isRegistered,
    webhookUrl,
    author,
    ...(key === undefined ? {} : { key }),
  };
  let status: ChatappStatus;
  try {
    status = (await ask({ kind: 'channel', id: channelId }, 'completeConnect', complete)) as ChatappStatus;
  } catch (error) {
    // Else it may have been committed.
    if (isRefusal(error)) await undo();
    throw error;
  }
  await confirm().catch((err: unknown) =>
    log.warn({ err, channelId }, 'the subscription of a channel could not be confirmed'),
  );
  return status;
}

/** Whether the channel was disconnected meanwhile, and may have been connected again. */
async function isOver(
  { db }: ConnectServices,
  { channelId }: ConnectChatapp,
  attemptId: string,
): Promise<boolean> {
  const found = await findChatapp(db, channelId);
  const { attempt } = (found?.chatapp ?? {}) as Partial<ChatappState>;
  return attempt?.attemptId !== attemptId;
}

/** 409 where another channel has the number; which one is told to those of its own environment. */
async function requireFreeNumber(
  { db }: ConnectServices,
  { environmentId, channelId }: ConnectChatapp,
  phoneNumberId: string,
): Promise<void> {
  const other = await findNumberChannel(db, phoneNumberId);
  if (other === undefined || other.channelId === channelId) return;
  const isOwn = other.environmentId === environmentId;
  throw conflict('Another channel is connected to the number.', isOwn ? { channelId: other.channelId } : {});
}

export interface DisconnectChatapp extends Tenancy, Audited, Keyed {
  readonly channelId: string;
  /** Undefined where the channel is not connected. */
  readonly connection: ChatappConnection | undefined;
  /** The secret of the connection's app, where there still is one. */
  readonly appSecret: string | undefined;
  readonly webhookUrl: string;
  readonly author: Actor;
}

/**
 * The channel is disconnected first, and then the provider is told: so a repetition of the request, whose commit is refused, cannot take a
 * later connection back. What fails at the provider is logged, and does not keep the channel connected.
 */
export async function disconnectChatapp(
  services: ConnectServices,
  request: DisconnectChatapp,
): Promise<ChatappStatus> {
  const { projectId, environmentId, channelId, connection, webhookUrl, author, act, key } = request;
  const channel = { kind: 'channel', id: channelId };
  const command: Disconnect = {
    projectId,
    environmentId,
    webhookUrl,
    author,
    ...(act === undefined ? {} : { act }),
    ...(key === undefined ? {} : { key }),
  };
  const status = (await services.ask(channel, 'disconnect', command)) as ChatappStatus;
  if (connection !== undefined) {
    await tellProvider(services, request, connection);
    await services.ask(channel, 'settleDisconnect', { projectId, environmentId });
  }
  return status;
}

async function tellProvider(
  { db, graph, vault, log }: ConnectServices,
  { channelId, appSecret }: DisconnectChatapp,
  { wabaId, phoneNumberId, appId, accessToken }: ChatappConnection,
): Promise<void> {
  const token = await vault.open(getSecretContext(channelId, 'access_token'), accessToken);
  const isLastOfAccount = !(await sharesAccount(db, { channelId, wabaId, appId }));
  const as = { token, ...(appSecret === undefined ? {} : { appSecret }) };
  const request = { as, wabaId, phoneNumberId, isLastOfAccount };
  const failed = await disconnectNumber(graph, request, AbortSignal.timeout(disconnectMs));
  if (failed !== undefined) log.warn({ err: failed, channelId }, 'the provider did not take a disconnection');
}
