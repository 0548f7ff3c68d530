/** What a channel is asked. Every command says whose channel it means, as a thread's commands do. */
import type { ChannelKind, ChannelStatus } from '../../protocol/resources/channel.ts';
import type { Actor } from '../../protocol/resources/message.ts';
import type { Marked } from '../act.ts';
import type { Metadata, Tenancy } from '../tenancy.ts';
import type { Receipt } from './providers/provider.ts';

export interface CreateChannel extends Tenancy, Marked {
  readonly name: string;
  readonly kind: ChannelKind;
  readonly metadata: Metadata;
  readonly author: Actor;
}

/** What PATCH may change; an absent field stays. */
export interface UpdateChannel extends Tenancy, Marked {
  readonly changes: {
    readonly name?: string;
    readonly defaultAgentId?: string | null;
    readonly metadata?: Metadata;
  };
}

export interface SetChannelStatus extends Tenancy, Marked {
  readonly status: ChannelStatus;
  readonly author: Actor;
}

/** The command was found in the channel's list before. */
export interface AcknowledgeCommand extends Tenancy {
  readonly eventId: string;
}

export interface ParkReceipt extends Tenancy {
  readonly externalMessageId: string;
  readonly receipt: Receipt;
}

/** The reminder that looks once more whether the message of a parked receipt is there. */
export interface ParkedReceipt extends Tenancy {
  readonly externalMessageId: string;
}

export type ChannelCommands = {
  /** Replies with the channel's JSON text, as `update` does. */
  create: { readonly payload: CreateChannel; readonly reply: string };
  update: { readonly payload: UpdateChannel; readonly reply: string };
  setStatus: { readonly payload: SetChannelStatus; readonly reply: null };
  acknowledge: { readonly payload: AcknowledgeCommand; readonly reply: null };
  park: { readonly payload: ParkReceipt; readonly reply: null };
  applyParked: { readonly payload: ParkedReceipt; readonly reply: null };
};
