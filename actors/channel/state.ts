/**
 * A channel: an adapter between one messaging channel and the neutral model (specification, "Channel").
 *
 *   (nothing)    -> connected      created: sandbox, custom
 *   (nothing)    -> disconnected   created: chatapp
 *   disconnected -> connecting -> connected
 *   connecting, connected -> error
 *   error        -> connecting
 *   any          -> disconnected
 *
 * Threads do not pass through their channel's actor: what they need of it (kind, status) reaches them with the command. So one
 * channel with a hundred thousand busy threads is no bottleneck.
 */
import type { ChannelKind, ChannelStatus } from '../../protocol/resources/channel.ts';
import type { Metadata } from '../tenancy.ts';

/** All that a channel knows; it is the row of `channels`. */
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
  /** Events of the channel so far: what their ids are numbered by. */
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

/** Whether the picture above has that move. */
export function mayMove(from: ChannelStatus, to: ChannelStatus): boolean {
  return moves[from].includes(to);
}
