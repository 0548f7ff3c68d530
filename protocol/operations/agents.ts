/** Agents: who answers on threads. Their runs are in runs.ts. */
import Type from 'typebox';
import type { Operation } from '../operation.ts';
import { Agent, CreateAgentBody, UpdateAgentBody } from '../resources/agent.ts';
import { id } from '../resources/fields.ts';
import { listOf, MaybeProjectQuery, ScopedListQuery } from '../resources/list.ts';
import { access, listing, reading, repeatable, writing } from './rules.ts';

const tag = 'Agents';
const oneAgent = Type.Object({ agentId: id('agent') });

export const agentOperations = {
  listAgents: {
    method: 'GET',
    path: '/agents',
    tag,
    summary: 'List agents, newest first; archived ones are read by their id',
    auth: 'project',
    access: access.readAgents,
    query: ScopedListQuery,
    success: { status: 200, body: listOf(Agent) },
    errors: [...listing],
    rate: 'read',
    idempotency: 'none',
  },
  createAgent: {
    method: 'POST',
    path: '/agents',
    tag,
    summary: 'Create an agent',
    description:
      'It answers where a thread (`agentId`) or a channel (`defaultAgentId`) names it. A loom that the environment does not have is 422, an archived one a conflict.',
    auth: 'project',
    access: access.writeAgents,
    body: CreateAgentBody,
    success: { status: 201, body: Agent },
    errors: [...writing, ...repeatable, 'svc/runtime/conflict'],
    rate: 'write',
    idempotency: 'accepted',
  },
  getAgent: {
    method: 'GET',
    path: '/agents/{agentId}',
    tag,
    summary: 'Read an agent',
    auth: 'project',
    access: access.readAgents,
    params: oneAgent,
    query: MaybeProjectQuery,
    success: { status: 200, body: Agent },
    errors: [...reading],
    rate: 'read',
    idempotency: 'none',
  },
  updateAgent: {
    method: 'PATCH',
    path: '/agents/{agentId}',
    tag,
    summary: 'Change an agent, archive it or take it out of the archive',
    description: 'Any other change of an archived agent is a conflict.',
    auth: 'project',
    access: access.writeAgents,
    params: oneAgent,
    body: UpdateAgentBody,
    success: { status: 200, body: Agent },
    errors: [...writing, 'svc/runtime/conflict'],
    rate: 'write',
    idempotency: 'none',
  },
} as const satisfies Record<string, Operation>;
