/** Receipts of custom channels, and the simulations of sandbox channels. */
import { getProvider, type Receipt, type ReceiptReport, reportReceipts } from '../../actors/channel/index.ts';
import type { ExpireWindow } from '../../actors/thread/index.ts';
import { conflict } from '../../protocol/errors.ts';
import type { channelOperations } from '../../protocol/operations/index.ts';
import type { Message, SimulateBody, Simulated } from '../../protocol/resources/index.ts';
import type { ActorRef } from '../../runtime/actor/index.ts';
import type { ChannelHead } from '../../storage/reads/index.ts';
import type { RequestKey } from '../../storage/writes/index.ts';
import { type Call, commitKey, type Handlers } from '../pipeline/index.ts';
import { getAuthor } from './caller.ts';
import { requireChannel } from './channel-directory.ts';
import type { ChannelServices } from './channels.ts';
import { newMessage, receiveMessage, requiredField, withFiles } from './inbound-messages.ts';
import { askNamed } from './tenant-scope.ts';

type Operations = Pick<typeof channelOperations, 'recordReceipt' | 'simulateSandbox'>;

/** 409 where the channel's receipts come from its provider, or where it is not a sandbox channel and cannot be simulated. */
export function channelTrafficHandlers(services: ChannelServices): Handlers<Operations> {
  const { channels } = services;

  return {
    recordReceipt: async call => {
      const { channel } = await requireChannel(call, channels, call.params.channelId);
      if (getProvider(channel.kind)?.postedByOwner !== true) {
        throw conflict('Receipts of this channel come from its provider.');
      }
      const { messageId, externalMessageId, status, occurredAt, error } = call.body;
      if (messageId === undefined && externalMessageId === undefined) {
        throw requiredField('messageId', 'is needed, or externalMessageId');
      }
      const message = {
        ...(messageId === undefined ? {} : { messageId }),
        ...(externalMessageId === undefined ? {} : { externalMessageId }),
      };
      // Events show it with a capital T and Z, which everybody reads.
      const at = occurredAt.toUpperCase();
      const receipt = { status, occurredAt: at, ...(error === undefined ? {} : { error }) };
      await call.once(key =>
        askNamed('/body/messageId', report(services, call, channel, message, receipt, key)),
      );
      return { body: { accepted: true } };
    },

    simulateSandbox: async call => {
      const { channel } = await requireChannel(call, channels, call.params.channelId);
      if (getProvider(channel.kind)?.simulated !== true) {
        throw conflict('Only sandbox channels can be simulated.');
      }
      return { body: await simulate(services, call, channel, call.body) };
    },
  };
}

async function report(
  { database, node }: ChannelServices,
  call: Pick<Call, 'caller' | 'requestId'>,
  channel: ChannelHead,
  message: Pick<ReceiptReport, 'messageId' | 'externalMessageId'>,
  receipt: Receipt,
  key: RequestKey | undefined,
): Promise<void> {
  const ask = (to: ActorRef, command: string, payload: unknown) => node.ask(to, command, payload, call);
  const { projectId, environmentId, channelId } = channel;
  const author = getAuthor(call);
  await reportReceipts(
    { db: database, ask },
    { projectId, environmentId, channelId, ...message, receipts: [receipt], author, ...commitKey(key) },
  );
}

type SimulateCall = Pick<Call, 'caller' | 'requestId' | 'once' | 'onceAsText' | 'now'>;

async function simulate(
  services: ChannelServices,
  call: SimulateCall,
  channel: ChannelHead,
  body: SimulateBody,
): Promise<Simulated> {
  const { database, node } = services;
  const { threadId, messageId, error } = body;
  switch (body.event) {
    case 'inbound': {
      if (body.body === undefined) throw requiredField('body', 'is needed: an inbound message has one');
      const made = newMessage({ ...body, body: body.body }, call.now);
      const text = await call.onceAsText(async key => {
        const message = await withFiles(database, channel, made, body.attachments);
        return receiveMessage(node, call, channel, body, message, key);
      });
      const received = JSON.parse(text) as Message;
      return { accepted: true, threadId: received.threadId, messageId: received.messageId };
    }
    case 'delivered':
    case 'read':
    case 'failed': {
      if (messageId === undefined)
        throw requiredField('messageId', 'is needed: a receipt is about a message');
      const occurredAt = new Date(call.now).toISOString();
      const receipt = { status: body.event, occurredAt, ...(error === undefined ? {} : { error }) };
      await call.once(key =>
        askNamed('/body/messageId', report(services, call, channel, { messageId }, receipt, key)),
      );
      return { accepted: true, messageId };
    }
    case 'window_expired': {
      if (threadId === undefined)
        throw requiredField('threadId', 'is needed: a service window belongs to a thread');
      const { projectId, environmentId, channelId } = channel;
      const order: ExpireWindow = { projectId, environmentId, channelId, author: getAuthor(call) };
      await call.once(key => {
        const command: ExpireWindow = { ...order, ...commitKey(key) };
        return askNamed(
          '/body/threadId',
          node.ask<null>({ kind: 'thread', id: threadId }, 'expireWindow', command, call),
        );
      });
      return { accepted: true, threadId };
    }
  }
}
