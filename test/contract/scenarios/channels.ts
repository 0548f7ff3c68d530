import type { channelOperations } from '../../../protocol/operations/channels.ts';
import type { ChannelCommand } from '../../../protocol/resources/channel.ts';
import type { ListOf } from '../../node/client.ts';
import { getChannel, newChannel, newInbound, newOutbound, newSimulated, unique } from '../fixtures.ts';
import type { ScenariosOf } from '../scenario.ts';
import type { Place } from '../world.ts';

const inProject = ({ projectId }: Place): { projectId: string } => ({ projectId });
const inEnvironment = ({ projectId, environmentId }: Place) => ({ projectId, environmentId });

async function command(place: Place): Promise<{ channelId: string; eventId: string }> {
  const channelId = await newChannel(place);
  const body = { ...inProject(place), externalParticipantRef: unique(), body: 'hello' };
  const { threadId } = await place.key.get<{ threadId: string }>('createInboundMessage', {
    params: { channelId },
    body,
  });
  await place.key.get('createMessage', { params: { threadId }, body: { ...inProject(place), body: 'hi' } });
  const { data } = await place.key.get<ListOf<ChannelCommand>>('listChannelCommands', {
    params: { channelId },
  });
  return { channelId, eventId: data[0]?.eventId ?? '' };
}

const occurredAt = '2026-11-03T12:00:00Z';

export const channelScenarios: ScenariosOf<typeof channelOperations> = {
  listChannels: { request: place => ({ query: inEnvironment(place) }), refusals: {} },
  createChannel: {
    request: place => ({ body: { ...inEnvironment(place), name: unique(), kind: 'custom' } }),
    variants: [place => ({ body: { ...inEnvironment(place), name: unique(), kind: 'chatapp' } })],
    refusals: {},
  },
  getChannel: {
    request: async place => ({ params: { channelId: await getChannel(place) } }),
    refusals: {},
  },
  updateChannel: {
    request: async place => ({
      params: { channelId: await newChannel(place) },
      body: { ...inProject(place), name: unique(), metadata: { a: 1 } },
    }),
    refusals: {},
  },
  listChannelCommands: {
    request: async place => ({ params: { channelId: (await command(place)).channelId } }),
    refusals: {},
  },
  acknowledgeChannelCommand: {
    request: async place => ({ params: await command(place) }),
    refusals: {},
  },
  createInboundMessage: {
    request: async place => ({
      params: { channelId: await getChannel(place) },
      body: { ...inProject(place), externalParticipantRef: unique(), body: 'hello' },
    }),
    variants: [
      async place => ({
        params: { channelId: await getChannel(place) },
        body: { ...inProject(place), threadId: (await newInbound(place)).threadId, body: 'hello' },
      }),
      async place => ({
        params: { channelId: await getChannel(place) },
        body: { ...inProject(place), externalThreadRef: unique(), body: 'hello', metadata: { a: 1 } },
      }),
    ],
    refusals: {
      'svc/runtime/conflict': async ({ sandbox }) => ({
        by: sandbox.key,
        asked: {
          params: { channelId: await newChannel(sandbox, 'chatapp') },
          body: { ...inProject(sandbox), externalParticipantRef: unique(), body: 'hello' },
        },
      }),
    },
  },
  recordReceipt: {
    request: async place => ({
      params: { channelId: await getChannel(place) },
      body: {
        ...inProject(place),
        messageId: (await newOutbound(place)).messageId,
        status: 'delivered',
        occurredAt,
      },
    }),
    variants: [
      async place => ({
        params: { channelId: await getChannel(place) },
        body: { ...inProject(place), externalMessageId: unique(), status: 'read', occurredAt },
      }),
    ],
    refusals: {
      'svc/runtime/conflict': async ({ sandbox }) => ({
        by: sandbox.key,
        asked: {
          params: { channelId: await getChannel(sandbox) },
          body: {
            ...inProject(sandbox),
            messageId: (await newInbound(sandbox)).messageId,
            status: 'read',
            occurredAt,
          },
        },
      }),
    },
  },
  simulateSandbox: {
    request: async place => ({
      params: { channelId: await newChannel(place, 'sandbox') },
      body: { ...inProject(place), event: 'inbound', externalParticipantRef: unique(), body: 'hello' },
    }),
    variants: [
      async place => {
        const { channelId, threadId } = await newSimulated(place);
        return { params: { channelId }, body: { ...inProject(place), event: 'window_expired', threadId } };
      },
      async place => {
        const { channelId, threadId } = await newSimulated(place);
        const { messageId } = await place.key.get<{ messageId: string }>('createMessage', {
          params: { threadId },
          body: { ...inProject(place), body: 'hi' },
        });
        return { params: { channelId }, body: { ...inProject(place), event: 'delivered', messageId } };
      },
    ],
    refusals: {
      'svc/runtime/conflict': async ({ sandbox }) => ({
        by: sandbox.key,
        asked: {
          params: { channelId: await getChannel(sandbox) },
          body: { ...inProject(sandbox), event: 'inbound', externalParticipantRef: unique(), body: 'hello' },
        },
      }),
    },
  },
};
