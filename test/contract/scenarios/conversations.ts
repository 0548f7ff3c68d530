import { newId } from '../../../protocol/ids.ts';
import type { bulkOperations } from '../../../protocol/operations/bulk.ts';
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
} from '../resources.ts';
import type { ScenariosOf } from '../scenario.ts';
import { newMember, type TenantEnvironment, type ContractFixture } from '../contract-fixture.ts';

const inProject = ({ projectId }: TenantEnvironment): { projectId: string } => ({ projectId });
const inEnvironment = ({ projectId, environmentId }: TenantEnvironment) => ({ projectId, environmentId });

async function archivedThread(env: TenantEnvironment): Promise<string> {
  const threadId = await newThread(env);
  await env.key.get('updateThread', {
    params: { threadId },
    body: { ...inProject(env), status: 'archived' },
  });
  return threadId;
}

/** Of several who do the same to one note at once, one is told that another was faster. */
async function contested(fixture: ContractFixture, id: 'updateNote' | 'deleteNote'): Promise<Reply<unknown>> {
  const env = fixture.sandbox;
  for (let attempt = 0; attempt < 200; attempt++) {
    const { threadId, threadNoteId } = await newNote(env);
    const params = { threadId, threadNoteId };
    const ask = (by: Client, what: OperationId): Promise<Reply<unknown>> => {
      const asked: Asked =
        what === 'updateNote' ? { params, body: { ...inProject(env), body: 'new' } } : { params };
      return by.ask(what, asked);
    };
    const rivals = [env.key, env.person, env.key, env.person];
    const replies = await Promise.all([ask(env.key, 'deleteNote'), ...rivals.map(rival => ask(rival, id))]);
    const lost = replies.slice(1).find(({ status }) => status === 409);
    if (lost !== undefined) return lost;
  }
  throw new Error('nobody was ever faster than another');
}

const bulk = (fields: object) => async (env: TenantEnvironment) => ({
  body: { ...inEnvironment(env), threadIds: [await newThread(env), await newThread(env)], ...fields },
});

export const bulkScenarios: ScenariosOf<typeof bulkOperations> = {
  changeThreads: {
    request: bulk({ action: 'close' }),
    variants: [
      bulk({ action: 'reopen' }),
      bulk({ action: 'archive' }),
      bulk({ action: 'addTags', tags: ['a', 'b'] }),
      bulk({ action: 'removeTags', tags: ['a'] }),
      env => bulk({ action: 'assign', userId: env.tenant.userId })(env),
      bulk({ action: 'setAgentMode', agentMode: 'paused' }),
      bulk({ action: 'close', threadIds: [newId('thread')] }),
      async env => {
        const threadId = await newThread(env);
        return bulk({ action: 'close', threadIds: [threadId], expectedSequences: { [threadId]: 1 } })(env);
      },
    ],
    refusals: {},
  },
};

export const threadScenarios: ScenariosOf<typeof threadOperations> = {
  createThread: {
    request: env => ({ body: { ...inEnvironment(env), metadata: { n: unique() } } }),
    variants: [
      async env => ({
        body: { ...inEnvironment(env), channelId: await getChannel(env), externalRef: unique() },
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
    request: env => ({ query: inEnvironment(env) }),
    variants: [
      env => ({
        query: {
          ...inEnvironment(env),
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
    request: async env => ({ params: { threadId: await newThread(env) } }),
    variants: [async env => ({ params: { threadId: await newThread(env) }, query: inProject(env) })],
    refusals: {},
  },
  updateThread: {
    request: async env => ({
      params: { threadId: await newThread(env) },
      body: { ...inProject(env), tags: ['vip'] },
    }),
    variants: [
      async env => ({
        params: { threadId: await newThread(env) },
        body: {
          ...inProject(env),
          customFields: { plan: 'pro', seats: 3, trial: null },
          participant: { displayName: 'Ada' },
        },
      }),
      async env => ({
        params: { threadId: await newThread(env) },
        body: { ...inProject(env), status: 'closed', agentMode: 'paused', agentId: null },
      }),
      async env => ({
        params: { threadId: await archivedThread(env) },
        body: { ...inProject(env), archived: false, metadata: { n: unique(), old: null } },
      }),
      async env => ({
        params: { threadId: await newThread(env) },
        body: { ...inProject(env), status: 'closed', expectedSequence: 1 },
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
  archiveThread: {
    request: async env => ({ params: { threadId: await newThread(env) } }),
    refusals: {},
  },
  assignThread: {
    request: async env => ({
      params: { threadId: await newThread(env) },
      body: { ...inProject(env), userId: env.tenant.userId },
    }),
    variants: [
      async env => ({
        params: { threadId: await newThread(env) },
        body: { ...inProject(env), userId: null },
      }),
    ],
    refusals: {},
  },
};

export const noteScenarios: ScenariosOf<typeof noteOperations> = {
  listNotes: {
    request: async env => ({ params: { threadId: (await newNote(env)).threadId } }),
    refusals: {},
  },
  createNote: {
    request: async env => ({
      params: { threadId: await newThread(env) },
      body: { ...inProject(env), body: 'to self' },
    }),
    variants: [
      async env => ({
        params: { threadId: await newThread(env) },
        body: { ...inProject(env), body: 'to a colleague', mentions: [await newMember(env)] },
      }),
    ],
    refusals: {},
  },
  updateNote: {
    request: async env => {
      const { threadId, threadNoteId } = await newNote(env);
      return { params: { threadId, threadNoteId }, body: { ...inProject(env), body: 'new' } };
    },
    refusals: { 'svc/runtime/conflict': fixture => contested(fixture, 'updateNote') },
  },
  deleteNote: {
    request: async env => {
      const { threadId, threadNoteId } = await newNote(env);
      return { params: { threadId, threadNoteId } };
    },
    refusals: { 'svc/runtime/conflict': fixture => contested(fixture, 'deleteNote') },
  },
};

export const presenceScenarios: ScenariosOf<typeof presenceOperations> = {
  setTyping: {
    request: async env => ({
      params: { threadId: await newThread(env) },
      body: { ...inProject(env), state: 'started' },
    }),
    refusals: {},
  },
  moveReadCursor: {
    request: async env => ({
      params: { threadId: await newThread(env) },
      body: { ...inProject(env), sequence: 1 },
    }),
    refusals: {},
  },
};

export const messageScenarios: ScenariosOf<typeof messageOperations> = {
  listMessages: {
    request: async env => ({ params: { threadId: (await newInbound(env)).threadId } }),
    variants: [
      async env => ({
        params: { threadId: (await newOutbound(env)).threadId },
        query: { ...inProject(env), order: 'desc', afterSequence: 1, beforeSequence: 99, limit: 1 },
      }),
    ],
    refusals: {},
  },
  getMessage: {
    request: async env => {
      const { threadId, messageId } = await newOutbound(env);
      return { params: { threadId, messageId } };
    },
    refusals: {},
  },
  findMessages: {
    request: async env => {
      const { messageId } = await newOutbound(env);
      return { query: { ...inEnvironment(env), messageId } };
    },
    variants: [async env => ({ query: { ...inEnvironment(env), externalMessageId: 'wamid.1', limit: 1 } })],
    refusals: {},
  },
  getMessageTimeline: {
    request: async env => {
      const { threadId, messageId } = await newOutbound(env);
      return { params: { threadId, messageId } };
    },
    refusals: {},
  },
  createMessage: {
    request: async env => ({
      params: { threadId: await newThread(env) },
      body: { ...inProject(env), body: 'hi' },
    }),
    variants: [
      async env => ({
        params: { threadId: await newThread(env) },
        query: { dryRun: true },
        body: { ...inProject(env), body: 'hi' },
      }),
      async env => ({
        params: { threadId: (await newSimulated(env)).threadId },
        body: { ...inProject(env), body: 'hello', direction: 'inbound', metadata: { a: [1] } },
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
