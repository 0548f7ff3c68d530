/** What comes in by a channel over REST: messages and receipts of custom channels, and the sandbox's simulations. */
import { providerOf } from '../../../actors/channel/providers/registry.ts';
import type { Receipt } from '../../../actors/channel/providers/provider.ts';
import { reportReceipt, type ReceiptReport } from '../../../actors/channel/receipts.ts';
import { conflict } from '../../../actors/conflict.ts';
import type { ExpireWindow, NewMessage, ReceiveMessage } from '../../../actors/thread/commands.ts';
import { invalid } from '../../../protocol/errors.ts';
import { derivedId } from '../../../protocol/ids.ts';
import type { channelOperations } from '../../../protocol/operations/channels.ts';
import type { SimulateBody, Simulated } from '../../../protocol/resources/channel.ts';
import type { ActorRef } from '../../../runtime/actor.ts';
import type { ChannelHead } from '../../../storage/reads/channels.ts';
import { toldToThread } from '../../channel-directory.ts';
import type { Call, Handlers } from '../handler.ts';
import { authorOf } from './author.ts';
import type { ChannelServices } from './channels.ts';
import { commitKey } from './commit-key.ts';
import { withFiles } from './message-files.ts';
import { newMessage } from './messages.ts';
import { channelOf } from './place.ts';

type Operations = Pick<
  typeof channelOperations,
  'createInboundMessage' | 'recordReceipt' | 'simulateSandbox'
>;

type Simulating = Pick<Call, 'caller' | 'requestId' | 'idempotency' | 'now'>;

/** How a message that comes in names its thread. */
export interface Addressed {
  readonly threadId?: string;
  readonly externalThreadRef?: string;
  readonly externalParticipantRef?: string;
}

/** 422 for a field that this request needs. */
function missing(field: string, message: string): Error {
  return invalid([{ path: `/body/${field}`, message, code: 'required' }]);
}

/**
 * Which thread receives the message, and what it is to be if it does not exist yet. A threadId wins. Else the identity is the
 * participant, and where only the conversation has a name, that; with both, the conversation's name is kept in the metadata.
 * Throws 422 where none is named.
 */
export function addressee(
  { channelId, environmentId }: Pick<ChannelHead, 'channelId' | 'environmentId'>,
  { threadId, externalThreadRef, externalParticipantRef }: Addressed,
): { readonly threadId: string; readonly newborn?: NonNullable<ReceiveMessage['newborn']> } {
  if (threadId !== undefined) return { threadId };
  const externalRef = externalParticipantRef ?? externalThreadRef;
  if (externalRef === undefined) {
    throw missing(
      'externalParticipantRef',
      'threadId, externalThreadRef or externalParticipantRef is needed',
    );
  }
  const both = externalParticipantRef !== undefined && externalThreadRef !== undefined;
  return {
    threadId: derivedId('thread', environmentId, channelId, externalRef),
    newborn: { externalRef, metadata: both ? { externalThreadRef } : {} },
  };
}

/**
 * 409 where the channel's messages or receipts come from its provider, or where it is no sandbox and cannot be
 * simulated.
 */
export function channelTrafficHandlers(services: ChannelServices): Handlers<Operations> {
  const { database, node, channels } = services;

  function receive(
    call: Pick<Call, 'idempotency' | 'requestId'>,
    channel: ChannelHead,
    addressed: Addressed,
    message: NewMessage,
  ): { readonly threadId: string; readonly text: Promise<string> } {
    const { projectId, environmentId } = channel;
    const { threadId, newborn } = addressee(channel, addressed);
    const command: ReceiveMessage = {
      projectId,
      environmentId,
      channel: toldToThread(channel),
      ...(newborn === undefined ? {} : { newborn }),
      message,
      ...commitKey(call),
    };
    return { threadId, text: node.ask<string>({ kind: 'thread', id: threadId }, 'receive', command, call) };
  }

  async function report(
    call: Pick<Call, 'caller' | 'requestId'>,
    channel: ChannelHead,
    message: Pick<ReceiptReport, 'messageId' | 'externalMessageId'>,
    receipt: Receipt,
  ): Promise<void> {
    const ask = (to: ActorRef, command: string, payload: unknown) => node.ask(to, command, payload, call);
    const { projectId, environmentId, channelId } = channel;
    const author = authorOf(call);
    await reportReceipt(
      { db: database, ask },
      { projectId, environmentId, channelId, ...message, receipt, author },
    );
  }

  async function simulate(call: Simulating, channel: ChannelHead, body: SimulateBody): Promise<Simulated> {
    const { threadId, messageId, error } = body;
    switch (body.event) {
      case 'inbound': {
        if (body.body === undefined) throw missing('body', 'an inbound message needs a body');
        const made = newMessage({ ...body, body: body.body }, call.now);
        const message = await withFiles(database, channel, made, body.attachments);
        const received = receive(call, channel, body, message);
        await received.text;
        return { accepted: true, threadId: received.threadId, messageId: message.messageId };
      }
      case 'delivered':
      case 'read':
      case 'failed': {
        if (messageId === undefined) throw missing('messageId', 'a receipt is about a message');
        const occurredAt = new Date(call.now).toISOString();
        const receipt = { status: body.event, occurredAt, ...(error === undefined ? {} : { error }) };
        await report(call, channel, { messageId }, receipt);
        return { accepted: true, messageId };
      }
      case 'window_expired': {
        if (threadId === undefined) throw missing('threadId', 'a service window is a thread’s');
        const { projectId, environmentId, channelId } = channel;
        const command: ExpireWindow = { projectId, environmentId, channelId, author: authorOf(call) };
        await node.ask<null>({ kind: 'thread', id: threadId }, 'expireWindow', command, call);
        return { accepted: true, threadId };
      }
    }
  }

  return {
    createInboundMessage: async call => {
      const { channel } = await channelOf(call, channels, call.params.channelId);
      if (providerOf(channel.kind)?.postedByOwner !== true) {
        throw conflict('Messages of this channel come from its provider.');
      }
      const { body } = call;
      const made = withFiles(database, channel, newMessage(body, call.now), body.attachments);
      // Nearly all have no files, and need not wait.
      const message = made instanceof Promise ? await made : made;
      return { json: await receive(call, channel, body, message).text };
    },

    recordReceipt: async call => {
      const { channel } = await channelOf(call, channels, call.params.channelId);
      if (providerOf(channel.kind)?.postedByOwner !== true) {
        throw conflict('Receipts of this channel come from its provider.');
      }
      const { messageId, externalMessageId, status, occurredAt, error } = call.body;
      if (messageId === undefined && externalMessageId === undefined) {
        throw missing('messageId', 'messageId or externalMessageId is needed');
      }
      const message = {
        ...(messageId === undefined ? {} : { messageId }),
        ...(externalMessageId === undefined ? {} : { externalMessageId }),
      };
      const receipt = { status, occurredAt, ...(error === undefined ? {} : { error }) };
      await report(call, channel, message, receipt);
      return { body: { accepted: true } };
    },

    simulateSandbox: async call => {
      const { channel } = await channelOf(call, channels, call.params.channelId);
      if (providerOf(channel.kind)?.simulated !== true) {
        throw conflict('Only sandbox channels can be simulated.');
      }
      return { body: await simulate(call, channel, call.body) };
    },
  };
}
