/**
 * A channel connects one messaging channel with threads.
 *
 *   (nothing)    -> connected      created: sandbox, custom
 *   (nothing)    -> disconnected   created: chatapp
 *   disconnected -> connecting -> connected
 *   connecting, connected -> error
 *   error        -> connecting
 *   any          -> disconnected
 *
 * `connecting` ends by itself: see decide-connection.ts.
 *
 * Threads do not go through their channel's actor: the commands bring what a thread has to know of its channel (kind, status). So a
 * channel with a hundred thousand busy threads is no bottleneck.
 */
import type {
  Channel,
  ChannelKind,
  ChannelStatus,
  ChatappFailure,
  ChatappStatus,
} from '../../protocol/resources/index.ts';
import type { Metadata } from '../base/index.ts';

/** All that a channel knows: its row in `channels`. */
export interface ChannelState {
  /** Empty while the channel does not exist. */
  readonly projectId: string;
  readonly environmentId: string;
  readonly name: string;
  readonly kind: ChannelKind;
  readonly status: ChannelStatus;
  readonly defaultAgentId: string | null;
  readonly metadata: Metadata;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly updatedAt: string;
  /** How many events the channel has had; numbers their ids. */
  readonly events: number;
  /** Null on other kinds, and while nobody has tried to connect the channel. */
  readonly chatapp: ChatappState | null;
  /** Sorts of work that a task is doing; `more`: more of it has come since the task began. Never stored. */
  readonly works: Readonly<Partial<Record<Work, 'working' | 'more'>>>;
}

/**
 * What a chatapp channel does beside its commands, each from rows that were committed before: webhooks of its provider become messages,
 * messages leave for the provider, files come from it.
 */
export type Work = 'webhooks' | 'sends' | 'files';

/** What a chatapp channel knows of its number at the provider. Secrets are sealed (storage/secrets). */
export interface ChatappState {
  /** Null while the channel is not connected; kept in the status `error`, so that webhooks still come in. */
  readonly connection: ChatappConnection | null;
  /** The attempt to connect that is under way. */
  readonly attempt: ConnectAttempt | null;
  /** Why the status is `error`. */
  readonly failure: ChatappFailure | null;
  /** Until when, in epoch milliseconds, the provider is being told that the channel was disconnected. Null: it has been told. */
  readonly leavingUntil: number | null;
  /** The newest changes of templates that were announced. */
  readonly templateChanges?: readonly string[];
  /** When the provider has last posted a webhook for the connection, to the minute, ISO 8601. Absent: it has not. */
  readonly postedAt?: string;
  /** Sealed: of two-step verification. Kept while the channel is disconnected, since the number keeps it, too. */
  readonly pin: string | null;
}

export interface ChatappConnection {
  /** Null: the service's own app. */
  readonly partnerAppCredentialId: string | null;
  readonly appId: string;
  readonly wabaId: string;
  readonly phoneNumberId: string;
  readonly displayPhoneNumber: string;
  readonly verifiedName: string;
  /** Sealed. */
  readonly accessToken: string;
  /** ISO 8601; null: never. */
  readonly tokenExpiresAt: string | null;
  /** How many days before the token's end its owners were last told of it. */
  readonly warnedDays?: number;
  /** Sealed: what the provider says to the channel's address before it sends anything there. */
  readonly verifyToken: string;
  /** ISO 8601. */
  readonly connectedAt: string;
}

export interface ConnectAttempt {
  readonly attemptId: string;
  /** Hash of the Idempotency-Key of the request that makes it; null: it has none. */
  readonly keyHash: string | null;
  readonly partnerAppCredentialId: string | null;
  /** Sealed. */
  readonly verifyToken: string;
  /** Sealed: with which the number is registered, unless it is. From that moment on it is the number's, whatever becomes of the attempt. */
  readonly pin: string;
  readonly isPinGiven: boolean;
  /** Once it is known: nobody else connects the number meanwhile. */
  readonly phoneNumberId?: string;
}

export const noChatapp: ChatappState = {
  connection: null,
  attempt: null,
  failure: null,
  leavingUntil: null,
  pin: null,
};

/** A channel that does not exist. */
export function blankChannel(): ChannelState {
  return {
    projectId: '',
    environmentId: '',
    name: '',
    kind: 'custom',
    status: 'disconnected',
    defaultAgentId: null,
    metadata: {},
    createdAt: '',
    updatedAt: '',
    events: 0,
    chatapp: null,
    works: {},
  };
}

const moves: Readonly<Record<ChannelStatus, readonly ChannelStatus[]>> = {
  disconnected: ['connecting'],
  connecting: ['connected', 'error', 'disconnected'],
  connected: ['error', 'disconnected'],
  error: ['connecting', 'disconnected'],
};

/** Whether the diagram above allows the move. */
export function mayMove(from: ChannelStatus, to: ChannelStatus): boolean {
  return moves[from].includes(to);
}

/** A channel that exists, as REST and events show it. */
export function toChannel(state: ChannelState, channelId: string): Channel {
  return {
    channelId,
    projectId: state.projectId,
    environmentId: state.environmentId,
    name: state.name,
    kind: state.kind,
    status: state.status,
    defaultAgentId: state.defaultAgentId,
    metadata: state.metadata,
    createdAt: state.createdAt,
    updatedAt: state.updatedAt,
  };
}

/** How a chatapp channel is connected, as REST shows it. */
export function toChatappStatus(state: ChannelState, channelId: string, webhookUrl: string): ChatappStatus {
  const { projectId, environmentId, status } = state;
  const { connection = null, failure = null } = state.chatapp ?? {};
  return {
    channelId,
    projectId,
    environmentId,
    status,
    wabaId: connection?.wabaId ?? null,
    phoneNumberId: connection?.phoneNumberId ?? null,
    displayPhoneNumber: connection?.displayPhoneNumber ?? null,
    verifiedName: connection?.verifiedName ?? null,
    partnerAppCredentialId: connection?.partnerAppCredentialId ?? null,
    tokenExpiresAt: connection?.tokenExpiresAt ?? null,
    connectedAt: connection?.connectedAt ?? null,
    error: failure,
    webhookUrl,
  };
}
