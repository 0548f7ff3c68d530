/** Agents, which answer on threads. Their runs are in runs.ts. */
import Type from 'typebox';
import type { Operation } from '../operation.ts';
import {
  Agent,
  CreateAgentBody,
  id,
  createList,
  MaybeProjectQuery,
  ScopedListQuery,
  UpdateAgentBody,
} from '../resources/index.ts';
import { access, conditional, listing, mergedFields, reading, repeatable, writing } from './rules.ts';

const tag = 'Agents';
const oneAgent = Type.Object({ agentId: id('agent') });

export const agentOperations = {
  listAgents: {
    method: 'GET',
    path: '/agents',
    tag,
    summary: 'List agents, newest first',
    description: 'Archived ones are omitted; read them by id.',
    auth: 'project',
    access: access.readAgents,
    query: ScopedListQuery,
    success: { status: 200, body: createList(Agent) },
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
      'The agent answers where a thread (`agentId`) or a channel (`defaultAgentId`) names it. A loom that is not in the environment is 422, an archived one a conflict.',
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
    tagged: true,
    rate: 'read',
    idempotency: 'none',
  },
  updateAgent: {
    method: 'PATCH',
    path: '/agents/{agentId}',
    tag,
    summary: 'Change, archive or restore an agent',
    description: `Any other change of an archived agent is a conflict. ${mergedFields}`,
    auth: 'project',
    access: access.writeAgents,
    params: oneAgent,
    body: UpdateAgentBody,
    success: { status: 200, body: Agent },
    tagged: true,
    errors: [...writing, ...conditional, 'svc/runtime/conflict'],
    rate: 'write',
    idempotency: 'none',
  },
  archiveAgent: {
    method: 'DELETE',
    path: '/agents/{agentId}',
    tag,
    summary: 'Archive an agent',
    description:
      'It answers no more; `archived: false` by PATCH brings it back. Of an archived one nothing changes.',
    auth: 'project',
    access: access.writeAgents,
    params: oneAgent,
    query: MaybeProjectQuery,
    success: { status: 204, body: null },
    tagged: true,
    errors: [...writing, ...conditional],
    rate: 'write',
    idempotency: 'none',
  },
} as const satisfies Record<string, Operation>;
