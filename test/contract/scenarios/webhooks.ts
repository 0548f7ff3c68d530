import type { deliveryOperations } from '../../../protocol/operations/deliveries.ts';
import type { eventOperations } from '../../../protocol/operations/events.ts';
import type { stitchOperations } from '../../../protocol/operations/stitches.ts';
import type { Asked } from '../../node/client.ts';
import { newDelivery, newStitch, unique } from '../fixtures.ts';
import type { ScenariosOf } from '../scenario.ts';
import type { Place, World } from '../world.ts';

const inProject = ({ projectId }: Place): { projectId: string } => ({ projectId });
const inEnvironment = ({ projectId, environmentId }: Place) => ({ projectId, environmentId });
const since = '2026-01-01T00:00:00Z';

const toStitch = async (place: Place, more: object = {}): Promise<Asked> => ({
  params: { stitchId: await newStitch(place) },
  body: { ...inProject(place), ...more },
});

/** The request meets a stitch that has been archived. */
async function archived({ sandbox }: World, more: object = {}) {
  const asked = await toStitch(sandbox, more);
  await sandbox.key.get('archiveStitch', { params: asked.params ?? {} });
  return { by: sandbox.key, asked };
}

async function disabled(place: Place): Promise<string> {
  const stitchId = await newStitch(place);
  await place.key.get('updateStitch', {
    params: { stitchId },
    body: { ...inProject(place), status: 'disabled' },
  });
  return stitchId;
}

export const stitchScenarios: ScenariosOf<typeof stitchOperations> = {
  listStitches: { request: place => ({ query: inEnvironment(place) }), refusals: {} },
  createStitch: {
    request: place => ({
      body: {
        ...inEnvironment(place),
        name: unique(),
        webhookUrl: place.webhookUrl,
        eventNames: ['byok.credential.rejected'],
      },
    }),
    refusals: {},
  },
  getStitch: { request: async place => ({ params: { stitchId: await newStitch(place) } }), refusals: {} },
  updateStitch: {
    request: place => toStitch(place, { name: unique(), status: 'disabled' }),
    refusals: { 'svc/runtime/conflict': world => archived(world, { name: unique() }) },
  },
  archiveStitch: { request: async place => ({ params: { stitchId: await newStitch(place) } }), refusals: {} },
  rotateStitchSecret: {
    request: place => toStitch(place),
    variants: [place => toStitch(place, { gracePeriodSeconds: 0 })],
    refusals: { 'svc/runtime/conflict': world => archived(world) },
  },
  testStitch: {
    request: place => toStitch(place),
    variants: [place => toStitch(place, { eventName: 'thread.message.received' })],
    refusals: { 'svc/runtime/conflict': world => archived(world) },
  },
};

export const deliveryScenarios: ScenariosOf<typeof deliveryOperations> = {
  listDeliveries: {
    request: place => ({ query: inEnvironment(place) }),
    variants: [
      async place => {
        const { eventId } = await newDelivery(place);
        return { query: { ...inEnvironment(place), eventId, since, until: '2030-01-01T00:00:00Z' } };
      },
      place => ({ query: { ...inEnvironment(place), status: 'delivering', eventName: 'stitch.test.ping' } }),
    ],
    refusals: {},
  },
  getDelivery: {
    request: async place => ({ params: { deliveryId: (await newDelivery(place)).deliveryId } }),
    refusals: {},
  },
  listDeliveryAttempts: {
    request: async place => ({ params: { deliveryId: (await newDelivery(place)).deliveryId } }),
    refusals: {},
  },
  replayDelivery: {
    request: async place => ({
      params: { deliveryId: (await newDelivery(place)).deliveryId },
      body: inProject(place),
    }),
    variants: [
      async place => ({
        params: { deliveryId: (await newDelivery(place)).deliveryId },
        body: { ...inProject(place), targetStitchId: await newStitch(place) },
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
  replayStitch: {
    request: place => toStitch(place, { since }),
    variants: [
      async place =>
        toStitch(place, {
          since,
          until: '2026-02-01T00:00:00Z',
          eventNames: ['thread.*'],
          statuses: ['failed'],
          targetStitchId: await newStitch(place),
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
    request: place => ({ query: inEnvironment(place) }),
    variants: [place => ({ query: { ...inEnvironment(place), eventName: 'thread.*', since, limit: 1 } })],
    refusals: {},
  },
  getEvent: {
    request: async place => ({ params: { eventId: (await newDelivery(place)).eventId } }),
    refusals: {},
  },
  listEventTypes: { request: () => ({}), refusals: {} },
};
