import type { deliveryOperations } from '../../../protocol/operations/deliveries.ts';
import type { eventOperations } from '../../../protocol/operations/events.ts';
import type { stitchOperations } from '../../../protocol/operations/stitches.ts';
import type { Asked } from '../../node/client.ts';
import { newDelivery, getStitchToRead, newStitch, newThread, unique } from '../resources.ts';
import { atLimit } from '../limits.ts';
import type { ScenariosOf } from '../scenario.ts';
import type { TenantEnvironment, ContractFixture } from '../contract-fixture.ts';

const inProject = ({ projectId }: TenantEnvironment): { projectId: string } => ({ projectId });
const inEnvironment = ({ projectId, environmentId }: TenantEnvironment) => ({ projectId, environmentId });
const since = '2026-01-01T00:00:00Z';

const toStitch = async (env: TenantEnvironment, more: object = {}): Promise<Asked> => ({
  params: { stitchId: await newStitch(env) },
  body: { ...inProject(env), ...more },
});

/** The request meets a stitch that has been archived. */
async function archived({ sandbox }: ContractFixture, more: object = {}) {
  const asked = await toStitch(sandbox, more);
  await sandbox.key.get('archiveStitch', { params: asked.params ?? {} });
  return { by: sandbox.key, asked };
}

async function disabled(env: TenantEnvironment): Promise<string> {
  const stitchId = await newStitch(env);
  await env.key.get('updateStitch', {
    params: { stitchId },
    body: { ...inProject(env), status: 'disabled' },
  });
  return stitchId;
}

const newEndpoint = (env: TenantEnvironment) => ({
  body: {
    ...inEnvironment(env),
    name: unique(),
    webhookUrl: env.webhookUrl,
    eventNames: ['byok.credential.rejected'],
  },
});

export const stitchScenarios: ScenariosOf<typeof stitchOperations> = {
  listStitches: { request: env => ({ query: inEnvironment(env) }), refusals: {} },
  createStitch: {
    request: newEndpoint,
    refusals: {
      'svc/runtime/conflict': atLimit('stitches', 'createStitch', newEndpoint, {
        table: 'stitches',
        id: 'stitch_id',
      }),
    },
  },
  getStitch: { request: async env => ({ params: { stitchId: await getStitchToRead(env) } }), refusals: {} },
  getStitchStats: {
    request: async env => ({ params: { stitchId: await getStitchToRead(env) } }),
    variants: [
      async env => ({ params: { stitchId: (await newDelivery(env)).stitchId }, query: { hours: 168 } }),
    ],
    refusals: {},
  },
  updateStitch: {
    request: env => toStitch(env, { name: unique(), status: 'disabled' }),
    variants: [env => toStitch(env, { archived: false, metadata: { a: null } })],
    refusals: { 'svc/runtime/conflict': fixture => archived(fixture, { name: unique() }) },
  },
  archiveStitch: { request: async env => ({ params: { stitchId: await newStitch(env) } }), refusals: {} },
  rotateStitchSecret: {
    request: env => toStitch(env),
    variants: [env => toStitch(env, { gracePeriodSeconds: 0 })],
    refusals: { 'svc/runtime/conflict': fixture => archived(fixture) },
  },
  testStitch: {
    request: env => toStitch(env),
    variants: [env => toStitch(env, { eventName: 'thread.message.received' })],
    refusals: { 'svc/runtime/conflict': fixture => archived(fixture) },
  },
};

export const deliveryScenarios: ScenariosOf<typeof deliveryOperations> = {
  listDeliveries: {
    request: env => ({ query: inEnvironment(env) }),
    variants: [
      async env => {
        const { eventId } = await newDelivery(env);
        return { query: { ...inEnvironment(env), eventId, since, until: '2030-01-01T00:00:00Z' } };
      },
      env => ({ query: { ...inEnvironment(env), status: 'delivering', eventName: 'stitch.test.ping' } }),
    ],
    refusals: {},
  },
  getDelivery: {
    request: async env => ({ params: { deliveryId: (await newDelivery(env)).deliveryId } }),
    refusals: {},
  },
  listDeliveryAttempts: {
    request: async env => ({ params: { deliveryId: (await newDelivery(env)).deliveryId } }),
    refusals: {},
  },
  replayDelivery: {
    request: async env => ({
      params: { deliveryId: (await newDelivery(env)).deliveryId },
      body: inProject(env),
    }),
    variants: [
      async env => ({
        params: { deliveryId: (await newDelivery(env)).deliveryId },
        body: { ...inProject(env), targetStitchId: await newStitch(env) },
      }),
    ],
    refusals: {
      'svc/runtime/conflict': async ({ sandbox }) => ({
        by: sandbox.key,
        asked: {
          params: { deliveryId: (await newDelivery(sandbox)).deliveryId },
          body: { ...inProject(sandbox), targetStitchId: await disabled(sandbox) },
        },
      }),
    },
  },
  replayFailedDeliveries: {
    request: async env => ({ body: { ...inEnvironment(env), stitchId: await newStitch(env) } }),
    variants: [
      env => ({ body: inEnvironment(env) }),
      async env => ({
        body: {
          ...inEnvironment(env),
          stitchId: await newStitch(env),
          since,
          until: '2026-02-01T00:00:00Z',
          eventNames: ['thread.*'],
        },
      }),
      async env => ({ body: { ...inEnvironment(env), stitchId: await disabled(env) } }),
    ],
    refusals: {},
  },
  replayStitch: {
    request: env => toStitch(env, { since }),
    variants: [
      async env =>
        toStitch(env, {
          since,
          until: '2026-02-01T00:00:00Z',
          eventNames: ['thread.*'],
          statuses: ['failed'],
          targetStitchId: await newStitch(env),
        }),
    ],
    refusals: {
      'svc/runtime/conflict': async ({ sandbox }) => ({
        by: sandbox.key,
        asked: { params: { stitchId: await disabled(sandbox) }, body: { ...inProject(sandbox), since } },
      }),
    },
  },
};

export const eventScenarios: ScenariosOf<typeof eventOperations> = {
  listEvents: {
    request: env => ({ query: inEnvironment(env) }),
    variants: [env => ({ query: { ...inEnvironment(env), eventName: 'thread.*', since, limit: 1 } })],
    refusals: {},
  },
  listThreadEvents: {
    request: async env => ({ params: { threadId: await newThread(env) } }),
    variants: [
      async env => ({
        params: { threadId: await newThread(env) },
        query: { projectId: env.projectId, eventName: ['thread.status.changed', 'agent.*'], limit: 1 },
      }),
    ],
    refusals: {},
  },
  getEvent: {
    request: async env => ({ params: { eventId: (await newDelivery(env)).eventId } }),
    refusals: {},
  },
  listEventTypes: { request: () => ({}), refusals: {} },
};
