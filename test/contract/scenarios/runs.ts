import type { runOperations } from '../../../protocol/operations/runs.ts';
import type { Asked } from '../../node/client.ts';
import {
  newAgent,
  newAwaitingCall,
  newInbound,
  newSilentRun,
  newSimulated,
  newSuggestion,
  newThread,
  unique,
} from '../resources.ts';
import type { ScenariosOf } from '../scenario.ts';
import type { TenantEnvironment } from '../contract-fixture.ts';

const inProject = ({ projectId }: TenantEnvironment): { projectId: string } => ({ projectId });
const inEnvironment = ({ projectId, environmentId }: TenantEnvironment) => ({ projectId, environmentId });

const decision = async (env: TenantEnvironment, more: object = {}): Promise<Asked> => {
  const { agentRunId, toolCallId } = await newAwaitingCall(env);
  return { params: { agentRunId }, body: { ...inProject(env), toolCallId, action: 'approve', ...more } };
};

const resolution = (env: TenantEnvironment, agentRunId: string, more: object = {}): Asked => ({
  params: { agentRunId },
  body: { ...inProject(env), action: 'approve', ...more },
});

export const runScenarios: ScenariosOf<typeof runOperations> = {
  createAgentRun: {
    request: async env => ({
      params: { agentId: (await newAgent(env)).agentId },
      body: { ...inProject(env), threadId: await newThread(env) },
    }),
    variants: [
      async env => ({ params: { agentId: (await newAgent(env)).agentId }, body: inProject(env) }),
      async env => {
        const { threadId, messageId } = await newInbound(env);
        return {
          params: { agentId: (await newAgent(env)).agentId },
          body: { ...inProject(env), threadId, inputMessageId: messageId, metadata: { a: 1 } },
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
    request: async env => {
      await newSuggestion(env);
      return { query: inEnvironment(env) };
    },
    variants: [
      async env => {
        const threadId = await newThread(env);
        const { agentId = '' } = await newSuggestion(env, threadId);
        return {
          query: { ...inEnvironment(env), threadId, agentId: agentId ?? '', status: 'succeeded', limit: 1 },
        };
      },
    ],
    refusals: {},
  },
  getAgentRun: {
    request: async env => ({ params: { agentRunId: (await newSuggestion(env)).agentRunId } }),
    refusals: {},
  },
  cancelAgentRun: {
    request: async env => ({ params: { agentRunId: await newSilentRun(env) }, body: inProject(env) }),
    refusals: {
      'svc/runtime/conflict': async ({ sandbox }) => {
        const { agentRunId } = await newSuggestion(sandbox);
        return { by: sandbox.key, asked: { params: { agentRunId }, body: inProject(sandbox) } };
      },
    },
  },
  resolveSuggestion: {
    request: async env => resolution(env, (await newSuggestion(env)).agentRunId),
    variants: [
      async env => resolution(env, (await newSuggestion(env)).agentRunId, { body: 'hello there' }),
      async env =>
        resolution(env, (await newSuggestion(env)).agentRunId, { action: 'discard', reason: 'too late' }),
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
  resolveToolCall: {
    request: decision,
    variants: [env => decision(env, { action: 'refuse', reason: 'not today' })],
    refusals: {
      'svc/runtime/conflict': async ({ sandbox }) => {
        const asked = await decision(sandbox, { action: 'refuse' });
        await sandbox.key.get('resolveToolCall', asked);
        return { by: sandbox.key, asked };
      },
    },
  },
};
