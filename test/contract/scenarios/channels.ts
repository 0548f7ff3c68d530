import type { channelOperations } from '../../../protocol/operations/channels.ts';
import type { ChannelCommand } from '../../../protocol/resources/channel.ts';
import type { ListOf } from '../../node/client.ts';
import { getChannel, newChannel, newInbound, newOutbound, newSimulated, unique } from '../resources.ts';
import { atLimit } from '../limits.ts';
import type { ScenariosOf } from '../scenario.ts';
import type { TenantEnvironment } from '../contract-fixture.ts';

const inProject = ({ projectId }: TenantEnvironment): { projectId: string } => ({ projectId });
const inEnvironment = ({ projectId, environmentId }: TenantEnvironment) => ({ projectId, environmentId });

async function command(env: TenantEnvironment): Promise<{ channelId: string; eventId: string }> {
  const channelId = await newChannel(env);
  const body = { ...inProject(env), externalParticipantRef: unique(), body: 'hello' };
  const { threadId } = await env.key.get<{ threadId: string }>('createInboundMessage', {
    params: { channelId },
    body,
  });
  await env.key.get('createMessage', { params: { threadId }, body: { ...inProject(env), body: 'hi' } });
  const { data } = await env.key.get<ListOf<ChannelCommand>>('listChannelCommands', {
    params: { channelId },
  });
  return { channelId, eventId: data[0]?.eventId ?? '' };
}

const newCustom = (env: TenantEnvironment) => ({
  body: { ...inEnvironment(env), name: unique(), kind: 'custom' },
});

const occurredAt = '2026-11-03T12:00:00Z';

export const channelScenarios: ScenariosOf<typeof channelOperations> = {
  listChannels: { request: env => ({ query: inEnvironment(env) }), refusals: {} },
  createChannel: {
    request: newCustom,
    variants: [env => ({ body: { ...inEnvironment(env), name: unique(), kind: 'chatapp' } })],
    refusals: {
      'svc/runtime/conflict': atLimit('channels', 'createChannel', newCustom, {
        table: 'channels',
        id: 'channel_id',
      }),
    },
  },
  getChannel: {
    request: async env => ({ params: { channelId: await getChannel(env) } }),
    refusals: {},
  },
  updateChannel: {
    request: async env => ({
      params: { channelId: await newChannel(env) },
      body: { ...inProject(env), name: unique(), metadata: { a: null } },
    }),
    refusals: {},
  },
  listChannelChanges: {
    request: async env => ({ params: { channelId: await getChannel(env) } }),
    refusals: {},
  },
  listChannelCommands: {
    request: async env => ({ params: { channelId: (await command(env)).channelId } }),
    refusals: {},
  },
  acknowledgeChannelCommand: {
    request: async env => ({ params: await command(env) }),
    refusals: {},
  },
  createInboundMessage: {
    request: async env => ({
      params: { channelId: await getChannel(env) },
      body: { ...inProject(env), externalParticipantRef: unique(), body: 'hello' },
    }),
    variants: [
      async env => ({
        params: { channelId: await getChannel(env) },
        body: { ...inProject(env), threadId: (await newInbound(env)).threadId, body: 'hello' },
      }),
      async env => ({
        params: { channelId: await getChannel(env) },
        body: { ...inProject(env), externalThreadRef: unique(), body: 'hello', metadata: { a: 1 } },
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
    request: async env => ({
      params: { channelId: await getChannel(env) },
      body: {
        ...inProject(env),
        messageId: (await newOutbound(env)).messageId,
        status: 'delivered',
        occurredAt,
      },
    }),
    variants: [
      async env => ({
        params: { channelId: await getChannel(env) },
        body: { ...inProject(env), externalMessageId: unique(), status: 'read', occurredAt },
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
    request: async env => ({
      params: { channelId: await newChannel(env, 'sandbox') },
      body: { ...inProject(env), event: 'inbound', externalParticipantRef: unique(), body: 'hello' },
    }),
    variants: [
      async env => {
        const { channelId, threadId } = await newSimulated(env);
        return { params: { channelId }, body: { ...inProject(env), event: 'window_expired', threadId } };
      },
      async env => {
        const { channelId, threadId } = await newSimulated(env);
        const { messageId } = await env.key.get<{ messageId: string }>('createMessage', {
          params: { threadId },
          body: { ...inProject(env), body: 'hi' },
        });
        return { params: { channelId }, body: { ...inProject(env), event: 'delivered', messageId } };
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
