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
 * Threads do not go through their channel's actor: the commands bring what a thread has to know of its channel (kind, status). So a
 * channel with a hundred thousand busy threads is no bottleneck.
 */
import type { Channel, ChannelKind, ChannelStatus } from '../../protocol/resources/index.ts';
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
}

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
