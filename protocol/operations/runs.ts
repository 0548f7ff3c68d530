/** Agent runs: asked for, followed, cancelled; and what an operator makes of a suggestion. */
import Type from 'typebox';
import type { Operation } from '../operation.ts';
import {
  AgentRun,
  CancelAgentRunBody,
  CreateAgentRunBody,
  ListAgentRunsQuery,
  ResolveSuggestionBody,
} from '../resources/agent.ts';
import { id } from '../resources/fields.ts';
import { listOf, MaybeProjectQuery } from '../resources/list.ts';
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
      'On a thread it answers what has been said so far; where the thread or the agent is paused, it suggests. A thread has one run at a time: 409 svc/runtime/conflict names the one that is running in details.agentRunId, and one that still waits for its turn is cancelled. A conflict too: an agent that is archived, or has no active version of a loom, and a thread that is not open.',
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
    description: `Without the steps of their traces: those are read with the single run. ${shortPages}`,
    auth: 'project',
    access: access.readAgents,
    query: ListAgentRunsQuery,
    success: { status: 200, body: listOf(AgentRun) },
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
    summary: 'Cancel a run; what it has under way is stopped',
    description: 'A run that has ended, or has answered, is a conflict.',
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
    summary: 'Approve or discard what a run suggests',
    description:
      "Approving sends it as the caller's message, in the words of `body` where there are some: a text over the message limit is 422. Of two who resolve it at once one wins; the other, and whoever comes after a newer message, is told svc/agent_runs/suggestion_already_resolved. With the service window closed it stays pending.",
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
