/** Channels over REST: their resource, and the commands of custom channels (decisions sections 2 and 4). */
import type { AcknowledgeCommand, CreateChannel, UpdateChannel } from '../../../actors/channel/commands.ts';
import { channelView } from '../../../actors/channel/channel-text.ts';
import { decodeChannel, type ChannelRow } from '../../../actors/channel/snapshot.ts';
import { notFound } from '../../../protocol/errors.ts';
import { newId } from '../../../protocol/ids.ts';
import type { channelOperations } from '../../../protocol/operations/channels.ts';
import type { Channel } from '../../../protocol/resources/channel.ts';
import { defaultPageSize } from '../../../protocol/resources/list.ts';
import type { Node } from '../../../runtime/node.ts';
import { page, type Cursors } from '../../../storage/cursor.ts';
import type { Database } from '../../../storage/database.ts';
import { hasAgent } from '../../../storage/reads/agents.ts';
import { channelPage, findChannel, type ChannelRecord } from '../../../storage/reads/channels.ts';
import { commandPage, commandState } from '../../../storage/reads/commands.ts';
import type { ChannelDirectory } from '../../channel-directory.ts';
import type { Handlers } from '../handler.ts';
import { actOf, authorOf } from './author.ts';
import { channelOf } from './place.ts';

export interface ChannelServices {
  readonly database: Pick<Database, 'query'>;
  readonly node: Pick<Node, 'ask'>;
  readonly cursors: Cursors;
  readonly channels: ChannelDirectory;
}

type Operations = Omit<
  typeof channelOperations,
  'createInboundMessage' | 'recordReceipt' | 'simulateSandbox'
>;

function shown({ channelId, row }: ChannelRecord): Channel {
  return channelView(decodeChannel(row as ChannelRow), channelId);
}

/** 404 for a channel that is another tenant's, and for a default agent that its environment does not have. */
export function channelHandlers(services: ChannelServices): Handlers<Operations> {
  const { database, node, cursors, channels } = services;

  return {
    listChannels: async call => {
      if (call.project === undefined) throw notFound();
      const { projectId, environmentId } = call.project;
      const { cursor, limit = defaultPageSize } = call.query;
      const scope = `channels ${projectId} ${environmentId}`;
      const key = cursor === undefined ? undefined : cursors.decode(scope, cursor);
      const after = key === undefined ? undefined : { at: Number(key[0]), channelId: String(key[1]) };
      const rows = await channelPage(database, { projectId, environmentId, after, limit: limit + 1 });
      const { data, ...rest } = page(rows, limit, last =>
        cursors.encode(scope, [last.createdAt.getTime(), last.channelId]),
      );
      return { body: { data: data.map(shown), ...rest } };
    },

    createChannel: async call => {
      if (call.project === undefined) throw notFound();
      const { projectId, environmentId } = call.project;
      const { name, kind, metadata = {} } = call.body;
      const command: CreateChannel = {
        projectId,
        environmentId,
        name,
        kind,
        metadata,
        author: authorOf(call),
        act: actOf(call),
      };
      const channel = { kind: 'channel', id: newId('channel', call.now) };
      return { json: await node.ask<string>(channel, 'create', command, call) };
    },

    getChannel: async call => {
      const { scope } = await channelOf(call, channels, call.params.channelId);
      const found = await findChannel(database, scope, call.params.channelId);
      if (found === undefined) throw notFound();
      return { body: shown(found) };
    },

    updateChannel: async call => {
      const { channelId } = call.params;
      const { scope } = await channelOf(call, channels, channelId);
      const { projectId, environmentId } = scope;
      const { projectId: _, ...changes } = call.body;
      const { defaultAgentId } = changes;
      if (typeof defaultAgentId === 'string' && !(await hasAgent(database, scope, defaultAgentId))) {
        throw notFound();
      }
      const command: UpdateChannel = { projectId, environmentId, changes, act: actOf(call) };
      const json = await node.ask<string>({ kind: 'channel', id: channelId }, 'update', command, call);
      channels.forget(channelId);
      return { json };
    },

    listChannelCommands: async call => {
      const { channelId } = call.params;
      const { projectId, environmentId } = (await channelOf(call, channels, channelId)).scope;
      const { cursor, limit = defaultPageSize } = call.query;
      const scope = `commands ${environmentId} ${channelId}`;
      const after = cursor === undefined ? undefined : String(cursors.decode(scope, cursor)[0]);
      const filter = { projectId, environmentId, channelId, after, limit: limit + 1 };
      const rows = await commandPage(database, filter);
      return { body: page(rows, limit, last => cursors.encode(scope, [last.eventId])) };
    },

    acknowledgeChannelCommand: async call => {
      const { channelId, eventId } = call.params;
      const { projectId, environmentId } = (await channelOf(call, channels, channelId)).scope;
      const state = await commandState(database, { projectId, environmentId }, channelId, eventId);
      if (state === undefined) throw notFound();
      if (state === 'open') {
        const command: AcknowledgeCommand = { projectId, environmentId, eventId };
        await node.ask<null>({ kind: 'channel', id: channelId }, 'acknowledge', command, call);
      }
      return {};
    },
  };
}
