/** Agents. */
import { notFound } from '../../protocol/errors.ts';
import type { agentOperations } from '../../protocol/operations/index.ts';
import {
  type AgentSuggestions,
  defaultPageSize,
  defaultSuggestionDays,
} from '../../protocol/resources/index.ts';
import { type Agents, findAgentTenant } from '../../storage/agents/index.ts';
import type { Database } from '../../storage/database/index.ts';
import { listSuggestionFates } from '../../storage/reads/index.ts';
import type { Handlers } from '../pipeline/index.ts';
import { createAuditContext } from './caller.ts';
import { readCondition, tagged } from './tagged.ts';
import { requireScope, resolveScope } from './tenant-scope.ts';

const dayMs = 86_400_000;

export interface AgentServices {
  readonly database: Pick<Database, 'query'>;
  readonly agents: Agents;
}

export function agentHandlers({ database, agents }: AgentServices): Handlers<typeof agentOperations> {
  return {
    listAgents: async call => {
      const { cursor, limit = defaultPageSize, archived } = call.query;
      return { body: await agents.list(requireScope(call), { cursor, limit, archived }) };
    },

    createAgent: async call => {
      const { projectId, environmentId } = requireScope(call);
      const { name, mode = null, loomId = null, metadata = {} } = call.body;
      const agent = { projectId, environmentId, name, mode, loomId, metadata };
      const request = { ...agent, ...createAuditContext(call) };
      return { body: await call.once(key => agents.create({ ...request, key })) };
    },

    getAgent: async call => {
      const { agentId } = call.params;
      const found = await agents.find(await resolveScope(call, database, findAgentTenant, agentId), agentId);
      if (found === undefined) throw notFound();
      return tagged(found);
    },

    getAgentSuggestions: async call => {
      const { agentId } = call.params;
      const { projectId, environmentId } = await resolveScope(call, database, findAgentTenant, agentId);
      const scope = { projectId, environmentId };
      if ((await agents.find(scope, agentId)) === undefined) throw notFound();
      const { days = defaultSuggestionDays } = call.query;
      const since = new Date(call.now - days * dayMs);
      const versions = await listSuggestionFates(database, { ...scope, agentId, since });
      return { body: { agentId, since: since.toISOString(), versions } satisfies AgentSuggestions };
    },

    updateAgent: async call => {
      const { agentId } = call.params;
      const { projectId, environmentId } = await resolveScope(call, database, findAgentTenant, agentId);
      const { projectId: _, archived, ...changes } = call.body;
      const change = { projectId, environmentId, agentId, changes, archived, ...readCondition(call) };
      return tagged(await agents.update({ ...change, ...createAuditContext(call) }));
    },

    archiveAgent: async call => {
      const { agentId } = call.params;
      const { projectId, environmentId } = await resolveScope(call, database, findAgentTenant, agentId);
      const change = {
        projectId,
        environmentId,
        agentId,
        changes: {},
        archived: true,
        ...readCondition(call),
      };
      await agents.update({ ...change, ...createAuditContext(call) });
      return {};
    },
  };
}
