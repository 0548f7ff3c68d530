/** Agent runs: requested, followed and cancelled, and their suggestions resolved. */
import Type from 'typebox';
import type { Operation } from '../operation.ts';
import {
  AgentRun,
  CancelAgentRunBody,
  CreateAgentRunBody,
  id,
  ListAgentRunsQuery,
  createList,
  MaybeProjectQuery,
  ResolveSuggestionBody,
} from '../resources/index.ts';
import { access, listing, reading, repeatable, shortPages, writing } from './rules.ts';

const tag = 'Agent runs';
const oneRun = Type.Object({ agentRunId: id('run') });

export const runOperations = {
  createAgentRun: {
    method: 'POST',
    path: '/agents/{agentId}/runs',
    tag,
    summary: 'Have an agent answer now',
    description:
      'On a thread the agent answers the conversation so far; where the thread or the agent is paused, it makes a suggestion. A thread has one run at a time: 409 svc/runtime/conflict names the running one in details.agentRunId, and a waiting one is cancelled. It is also a conflict when the agent is archived or has no active loom version, and when the thread is not open.',
    auth: 'project',
    access: access.runAgents,
    params: Type.Object({ agentId: id('agent') }),
    body: CreateAgentRunBody,
    success: { status: 201, body: AgentRun },
    errors: [...writing, ...repeatable, 'svc/runtime/conflict'],
    rate: 'run',
    idempotency: 'accepted',
  },
  listAgentRuns: {
    method: 'GET',
    path: '/agent-runs',
    tag,
    summary: 'List runs, newest first',
    description: `Traces omit steps; read a single run for them. ${shortPages}`,
    auth: 'project',
    access: access.readAgents,
    query: ListAgentRunsQuery,
    success: { status: 200, body: createList(AgentRun) },
    errors: [...listing],
    rate: 'read',
    idempotency: 'none',
  },
  getAgentRun: {
    method: 'GET',
    path: '/agent-runs/{agentRunId}',
    tag,
    summary: 'Read a run with its whole trace',
    auth: 'project',
    access: access.readAgents,
    params: oneRun,
    query: MaybeProjectQuery,
    success: { status: 200, body: AgentRun },
    errors: [...reading],
    rate: 'read',
    idempotency: 'none',
  },
  cancelAgentRun: {
    method: 'POST',
    path: '/agent-runs/{agentRunId}/cancel',
    tag,
    summary: 'Cancel a run and stop its work',
    description: 'A run that has ended or answered is a conflict.',
    auth: 'project',
    access: access.runAgents,
    params: oneRun,
    body: CancelAgentRunBody,
    success: { status: 200, body: AgentRun },
    errors: [...writing, ...repeatable, 'svc/runtime/conflict'],
    rate: 'run',
    idempotency: 'accepted',
  },
  resolveSuggestion: {
    method: 'POST',
    path: '/agent-runs/{agentRunId}/resolve-suggestion',
    tag,
    summary: 'Approve or discard the suggestion of a run',
    description:
      "Approving sends it as the caller's message, with the text of `body` if there is one; a text over the message limit is 422. Of two simultaneous requests one wins; the other, and any that comes after a newer message, gets svc/agent_runs/suggestion_already_resolved. While the service window is closed, the suggestion stays pending.",
    auth: 'project',
    access: access.resolveSuggestions,
    params: oneRun,
    body: ResolveSuggestionBody,
    success: { status: 200, body: AgentRun },
    errors: [
      ...writing,
      ...repeatable,
      'svc/agent_runs/suggestion_already_resolved',
      'svc/runtime/conflict',
      'svc/chatapp/template_required',
    ],
    rate: 'run',
    idempotency: 'accepted',
  },
} as const satisfies Record<string, Operation>;
