import type { runOperations } from '../../../protocol/operations/runs.ts';
import type { Asked } from '../../node/client.ts';
import {
  newAgent,
  newInbound,
  newSilentRun,
  newSimulated,
  newSuggestion,
  newThread,
  unique,
} from '../fixtures.ts';
import type { ScenariosOf } from '../scenario.ts';
import type { Place } from '../world.ts';

const inProject = ({ projectId }: Place): { projectId: string } => ({ projectId });
const inEnvironment = ({ projectId, environmentId }: Place) => ({ projectId, environmentId });

const resolution = (place: Place, agentRunId: string, more: object = {}): Asked => ({
  params: { agentRunId },
  body: { ...inProject(place), action: 'approve', ...more },
});

export const runScenarios: ScenariosOf<typeof runOperations> = {
  createAgentRun: {
    request: async place => ({
      params: { agentId: (await newAgent(place)).agentId },
      body: { ...inProject(place), threadId: await newThread(place) },
    }),
    variants: [
      async place => ({ params: { agentId: (await newAgent(place)).agentId }, body: inProject(place) }),
      async place => {
        const { threadId, messageId } = await newInbound(place);
        return {
          params: { agentId: (await newAgent(place)).agentId },
          body: { ...inProject(place), threadId, inputMessageId: messageId, metadata: { a: 1 } },
        };
      },
    ],
    refusals: {
      'svc/runtime/conflict': async ({ sandbox }) => {
        const body = { ...inProject(sandbox), name: unique() };
        const { agentId } = await sandbox.key.get<{ agentId: string }>('createAgent', { body });
        return { by: sandbox.key, asked: { params: { agentId }, body: inProject(sandbox) } };
      },
    },
  },
  listAgentRuns: {
    request: async place => {
      await newSuggestion(place);
      return { query: inEnvironment(place) };
    },
    variants: [
      async place => {
        const threadId = await newThread(place);
        const { agentId = '' } = await newSuggestion(place, threadId);
        return {
          query: { ...inEnvironment(place), threadId, agentId: agentId ?? '', status: 'succeeded', limit: 1 },
        };
      },
    ],
    refusals: {},
  },
  getAgentRun: {
    request: async place => ({ params: { agentRunId: (await newSuggestion(place)).agentRunId } }),
    refusals: {},
  },
  cancelAgentRun: {
    request: async place => ({ params: { agentRunId: await newSilentRun(place) }, body: inProject(place) }),
    refusals: {
      'svc/runtime/conflict': async ({ sandbox }) => {
        const { agentRunId } = await newSuggestion(sandbox);
        return { by: sandbox.key, asked: { params: { agentRunId }, body: inProject(sandbox) } };
      },
    },
  },
  resolveSuggestion: {
    request: async place => resolution(place, (await newSuggestion(place)).agentRunId),
    variants: [
      async place => resolution(place, (await newSuggestion(place)).agentRunId, { body: 'hello there' }),
      async place => resolution(place, (await newSuggestion(place)).agentRunId, { action: 'discard' }),
    ],
    refusals: {
      'svc/agent_runs/suggestion_already_resolved': async ({ sandbox }) => {
        const { agentRunId } = await newSuggestion(sandbox);
        const asked = resolution(sandbox, agentRunId, { action: 'discard' });
        await sandbox.key.get('resolveSuggestion', asked);
        return { by: sandbox.key, asked };
      },
      'svc/runtime/conflict': async ({ sandbox }) => {
        const { agentRunId } = await newSuggestion(sandbox);
        return { by: sandbox.key, asked: resolution(sandbox, agentRunId, { expectedSequence: 0 }) };
      },
      'svc/chatapp/template_required': async ({ sandbox }) => {
        const { channelId, threadId } = await newSimulated(sandbox);
        const { agentRunId } = await newSuggestion(sandbox, threadId);
        await sandbox.key.get('simulateSandbox', {
          params: { channelId },
          body: { ...inProject(sandbox), event: 'window_expired', threadId },
        });
        return { by: sandbox.key, asked: resolution(sandbox, agentRunId) };
      },
    },
  },
};
