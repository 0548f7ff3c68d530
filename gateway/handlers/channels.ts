/** Channels: their resource, and the commands of custom channels (docs/contract-decisions.md, "Channel"). */
import {
  type AcknowledgeCommand,
  type ChannelRow,
  type CreateChannel,
  decodeChannel,
  toChannel,
  type UpdateChannel,
} from '../../actors/channel/index.ts';
import { notFound } from '../../protocol/errors.ts';
import { newId } from '../../protocol/ids.ts';
import type { channelOperations } from '../../protocol/operations/index.ts';
import { type Channel, defaultPageSize } from '../../protocol/resources/index.ts';
import type { Node } from '../../runtime/node/index.ts';
import { type Cursors, toPage } from '../../storage/paging/index.ts';
import type { Database } from '../../storage/database/index.ts';
import type { Limits } from '../../storage/writes/index.ts';
import { hasAgent } from '../../storage/agents/index.ts';
import {
  changePage,
  channelPage,
  type ChannelRecord,
  commandPage,
  commandState,
  findChannel,
} from '../../storage/reads/index.ts';
import { commitKey, type Handlers } from '../pipeline/index.ts';
import { createCommandAudit, getAuthor } from './caller.ts';
import { readCondition, tagged } from './tagged.ts';
import { requireChannel, type ChannelDirectory } from './channel-directory.ts';

export interface ChannelServices {
  readonly database: Pick<Database, 'query'>;
  readonly node: Pick<Node, 'ask'>;
  readonly cursors: Cursors;
  readonly channels: ChannelDirectory;
}

interface WriteServices extends ChannelServices {
  readonly limits: Pick<Limits, 'channels'>;
}

type Operations = Omit<
  typeof channelOperations,
  'createInboundMessage' | 'recordReceipt' | 'simulateSandbox'
>;

function shown({ channelId, row }: ChannelRecord): Channel {
  return toChannel(decodeChannel(row as ChannelRow), channelId);
}

type Reads = Pick<Operations, 'listChannels' | 'getChannel' | 'listChannelChanges' | 'listChannelCommands'>;

/** 404 for a channel of another tenant, and for a default agent that is not of the channel's environment. */
export function channelHandlers(services: WriteServices): Handlers<Operations> {
  return { ...readHandlers(services), ...writeHandlers(services) };
}

function readHandlers({ database, cursors, channels }: ChannelServices): Handlers<Reads> {
  return {
    listChannels: async call => {
      if (call.project === undefined) throw notFound();
      const { projectId, environmentId } = call.project;
      const { cursor, limit = defaultPageSize } = call.query;
      const scope = `channels ${projectId} ${environmentId}`;
      const key = cursor === undefined ? undefined : cursors.decode(scope, cursor);
      const after = key === undefined ? undefined : { at: Number(key[0]), channelId: String(key[1]) };
      const found = await channelPage(database, { projectId, environmentId, after, limit });
      const { data, ...rest } = toPage(found, last =>
        cursors.encode(scope, [last.createdAt.getTime(), last.channelId]),
      );
      return { body: { data: data.map(shown), ...rest } };
    },

    getChannel: async call => {
      const { scope } = await requireChannel(call, channels, call.params.channelId);
      const found = await findChannel(database, scope, call.params.channelId);
      if (found === undefined) throw notFound();
      return tagged(shown(found));
    },

    listChannelChanges: async call => {
      const { channelId } = call.params;
      const { projectId, environmentId } = (await requireChannel(call, channels, channelId)).scope;
      const { cursor, limit = defaultPageSize } = call.query;
      const scope = `channel changes ${environmentId} ${channelId}`;
      const after = cursor === undefined ? undefined : String(cursors.decode(scope, cursor)[0]);
      const filter = { projectId, environmentId, channelId, after, limit };
      const found = await changePage(database, filter);
      return { body: toPage(found, last => cursors.encode(scope, [last.eventId])) };
    },

    listChannelCommands: async call => {
      const { channelId } = call.params;
      const { projectId, environmentId } = (await requireChannel(call, channels, channelId)).scope;
      const { cursor, limit = defaultPageSize } = call.query;
      const scope = `commands ${environmentId} ${channelId}`;
      const after = cursor === undefined ? undefined : String(cursors.decode(scope, cursor)[0]);
      const filter = { projectId, environmentId, channelId, after, limit };
      const found = await commandPage(database, filter);
      return { body: toPage(found, last => cursors.encode(scope, [last.eventId])) };
    },
  };
}

function writeHandlers({
  database,
  node,
  channels,
  limits,
}: WriteServices): Handlers<Omit<Operations, keyof Reads>> {
  return {
    createChannel: async call => {
      if (call.project === undefined) throw notFound();
      const { projectId, environmentId } = call.project;
      const { name, kind, metadata = {} } = call.body;
      const given = { projectId, environmentId, name, kind, metadata, limit: limits.channels };
      const order: CreateChannel = { ...given, author: getAuthor(call), act: createCommandAudit(call) };
      const channel = { kind: 'channel', id: newId('channel', call.now) };
      return {
        json: await call.onceAsText(key => {
          const command: CreateChannel = { ...order, ...commitKey(key) };
          return node.ask<string>(channel, 'create', command, call);
        }),
      };
    },

    updateChannel: async call => {
      const { channelId } = call.params;
      const { scope } = await requireChannel(call, channels, channelId);
      const { projectId, environmentId } = scope;
      const { projectId: _, ...changes } = call.body;
      const { defaultAgentId } = changes;
      if (typeof defaultAgentId === 'string' && !(await hasAgent(database, scope, defaultAgentId))) {
        throw notFound('/body/defaultAgentId');
      }
      const act = createCommandAudit(call);
      const command: UpdateChannel = { projectId, environmentId, changes, act, ...readCondition(call) };
      const json = await node.ask<string>({ kind: 'channel', id: channelId }, 'update', command, call);
      await channels.forget(channelId);
      return { json, ...tagged(JSON.parse(json) as Channel) };
    },

    acknowledgeChannelCommand: async call => {
      const { channelId, eventId } = call.params;
      const { projectId, environmentId } = (await requireChannel(call, channels, channelId)).scope;
      const state = await commandState(database, { projectId, environmentId }, channelId, eventId);
      if (state === undefined) throw notFound();
      await call.once(async key => {
        // One that was acknowledged before is done, but a key may have been used for another.
        if (state !== 'open' && key === undefined) return null;
        const command: AcknowledgeCommand = { projectId, environmentId, eventId, ...commitKey(key) };
        return node.ask<null>({ kind: 'channel', id: channelId }, 'acknowledge', command, call);
      });
      return {};
    },
  };
}
