import type { messageOperations } from '../../../protocol/operations/messages.ts';
import type { noteOperations } from '../../../protocol/operations/notes.ts';
import type { presenceOperations } from '../../../protocol/operations/presence.ts';
import type { threadOperations } from '../../../protocol/operations/threads.ts';
import type { OperationId } from '../../../protocol/operations/table.ts';
import type { Asked, Client, Reply } from '../../node/client.ts';
import {
  getChannel,
  newInbound,
  newNote,
  newOutbound,
  newSimulated,
  newThread,
  unique,
} from '../fixtures.ts';
import type { ScenariosOf } from '../scenario.ts';
import type { Place, World } from '../world.ts';

const inProject = ({ projectId }: Place): { projectId: string } => ({ projectId });
const inEnvironment = ({ projectId, environmentId }: Place) => ({ projectId, environmentId });

async function archivedThread(place: Place): Promise<string> {
  const threadId = await newThread(place);
  await place.key.get('updateThread', {
    params: { threadId },
    body: { ...inProject(place), status: 'archived' },
  });
  return threadId;
}

/** Of several who do the same to one note at once, one is told that another was faster. */
async function contested(world: World, id: 'updateNote' | 'deleteNote'): Promise<Reply<unknown>> {
  const place = world.sandbox;
  for (let attempt = 0; attempt < 200; attempt++) {
    const { threadId, threadNoteId } = await newNote(place);
    const params = { threadId, threadNoteId };
    const ask = (by: Client, what: OperationId): Promise<Reply<unknown>> => {
      const asked: Asked =
        what === 'updateNote' ? { params, body: { ...inProject(place), body: 'new' } } : { params };
      return by.ask(what, asked);
    };
    const rivals = [place.key, place.person, place.key, place.person];
    const replies = await Promise.all([ask(place.key, 'deleteNote'), ...rivals.map(rival => ask(rival, id))]);
    const lost = replies.slice(1).find(({ status }) => status === 409);
    if (lost !== undefined) return lost;
  }
  throw new Error('nobody was ever faster than another');
}

export const threadScenarios: ScenariosOf<typeof threadOperations> = {
  createThread: {
    request: place => ({ body: { ...inEnvironment(place), metadata: { n: unique() } } }),
    variants: [
      async place => ({
        body: { ...inEnvironment(place), channelId: await getChannel(place), externalRef: unique() },
      }),
    ],
    refusals: {
      'svc/runtime/conflict': async ({ sandbox }) => {
        const channelId = await getChannel(sandbox);
        const asked = { body: { ...inEnvironment(sandbox), channelId, externalRef: unique() } };
        await sandbox.key.get('createThread', asked);
        return { by: sandbox.key, asked };
      },
    },
  },
  listThreads: {
    request: place => ({ query: inEnvironment(place) }),
    variants: [
      place => ({
        query: {
          ...inEnvironment(place),
          status: 'open',
          tag: 'vip',
          sort: 'createdAt',
          limit: 1,
          updatedAfter: '2026-01-01T00:00:00Z',
        },
      }),
    ],
    refusals: {},
  },
  getThread: {
    request: async place => ({ params: { threadId: await newThread(place) } }),
    variants: [async place => ({ params: { threadId: await newThread(place) }, query: inProject(place) })],
    refusals: {},
  },
  updateThread: {
    request: async place => ({
      params: { threadId: await newThread(place) },
      body: { ...inProject(place), tags: ['vip'], customFields: { plan: 'pro', seats: 3, trial: null } },
    }),
    variants: [
      async place => ({
        params: { threadId: await newThread(place) },
        body: { ...inProject(place), status: 'closed', agentMode: 'paused', agentId: null },
      }),
    ],
    refusals: {
      'svc/runtime/conflict': async ({ sandbox }) => ({
        by: sandbox.key,
        asked: {
          params: { threadId: await archivedThread(sandbox) },
          body: { ...inProject(sandbox), status: 'closed' },
        },
      }),
    },
  },
  assignThread: {
    request: async place => ({
      params: { threadId: await newThread(place) },
      body: { ...inProject(place), userId: place.tenant.userId },
    }),
    variants: [
      async place => ({
        params: { threadId: await newThread(place) },
        body: { ...inProject(place), userId: null },
      }),
    ],
    refusals: {},
  },
};

export const noteScenarios: ScenariosOf<typeof noteOperations> = {
  listNotes: {
    request: async place => ({ params: { threadId: (await newNote(place)).threadId } }),
    refusals: {},
  },
  createNote: {
    request: async place => ({
      params: { threadId: await newThread(place) },
      body: { ...inProject(place), body: 'to self' },
    }),
    refusals: {},
  },
  updateNote: {
    request: async place => {
      const { threadId, threadNoteId } = await newNote(place);
      return { params: { threadId, threadNoteId }, body: { ...inProject(place), body: 'new' } };
    },
    refusals: { 'svc/runtime/conflict': world => contested(world, 'updateNote') },
  },
  deleteNote: {
    request: async place => {
      const { threadId, threadNoteId } = await newNote(place);
      return { params: { threadId, threadNoteId } };
    },
    refusals: { 'svc/runtime/conflict': world => contested(world, 'deleteNote') },
  },
};

export const presenceScenarios: ScenariosOf<typeof presenceOperations> = {
  setTyping: {
    request: async place => ({
      params: { threadId: await newThread(place) },
      body: { ...inProject(place), state: 'started' },
    }),
    refusals: {},
  },
  moveReadCursor: {
    request: async place => ({
      params: { threadId: await newThread(place) },
      body: { ...inProject(place), sequence: 1 },
    }),
    refusals: {},
  },
};

export const messageScenarios: ScenariosOf<typeof messageOperations> = {
  listMessages: {
    request: async place => ({ params: { threadId: (await newInbound(place)).threadId } }),
    variants: [
      async place => ({
        params: { threadId: (await newOutbound(place)).threadId },
        query: { ...inProject(place), order: 'desc', afterSequence: 1, limit: 1 },
      }),
    ],
    refusals: {},
  },
  getMessage: {
    request: async place => {
      const { threadId, messageId } = await newOutbound(place);
      return { params: { threadId, messageId } };
    },
    refusals: {},
  },
  getMessageTimeline: {
    request: async place => {
      const { threadId, messageId } = await newOutbound(place);
      return { params: { threadId, messageId } };
    },
    refusals: {},
  },
  createMessage: {
    request: async place => ({
      params: { threadId: await newThread(place) },
      body: { ...inProject(place), body: 'hi' },
    }),
    variants: [
      async place => ({
        params: { threadId: await newThread(place) },
        query: { dryRun: true },
        body: { ...inProject(place), body: 'hi' },
      }),
      async place => ({
        params: { threadId: await newThread(place) },
        body: { ...inProject(place), body: 'hello', direction: 'inbound', metadata: { a: [1] } },
      }),
    ],
    refusals: {
      'svc/runtime/conflict': async ({ sandbox }) => ({
        by: sandbox.key,
        asked: {
          params: { threadId: await archivedThread(sandbox) },
          body: { ...inProject(sandbox), body: 'hi' },
        },
      }),
      'svc/chatapp/template_required': async ({ sandbox }) => {
        const { channelId, threadId } = await newSimulated(sandbox);
        await sandbox.key.get('simulateSandbox', {
          params: { channelId },
          body: { ...inProject(sandbox), event: 'window_expired', threadId },
        });
        return {
          by: sandbox.key,
          asked: { params: { threadId }, body: { ...inProject(sandbox), body: 'hi' } },
        };
      },
    },
  },
};
