/** Agents over REST (decisions, section 2). */
import { notFound } from '../../../protocol/errors.ts';
import type { agentOperations } from '../../../protocol/operations/agents.ts';
import { defaultPageSize } from '../../../protocol/resources/list.ts';
import type { Agents } from '../../../storage/agents/agents.ts';
import { placeOfAgent } from '../../../storage/agents/places.ts';
import type { Database } from '../../../storage/database.ts';
import type { Handlers } from '../handler.ts';
import { deedOf } from './author.ts';
import { placeOfCall, scopeById } from './place.ts';

export interface AgentServices {
  readonly database: Pick<Database, 'query'>;
  readonly agents: Agents;
}

export function agentHandlers({ database, agents }: AgentServices): Handlers<typeof agentOperations> {
  return {
    listAgents: async call => {
      const { cursor, limit = defaultPageSize } = call.query;
      return { body: await agents.list(placeOfCall(call), { cursor, limit }) };
    },

    createAgent: async call => {
      const { projectId, environmentId } = placeOfCall(call);
      const { name, mode = null, loomId = null, metadata = {} } = call.body;
      const agent = { projectId, environmentId, name, mode, loomId, metadata };
      return { body: await agents.create({ ...agent, ...deedOf(call) }) };
    },

    getAgent: async call => {
      const { agentId } = call.params;
      const found = await agents.find(await scopeById(call, database, placeOfAgent, agentId), agentId);
      if (found === undefined) throw notFound();
      return { body: found };
    },

    updateAgent: async call => {
      const { agentId } = call.params;
      const { projectId, environmentId } = await scopeById(call, database, placeOfAgent, agentId);
      const { projectId: _, archived, ...changes } = call.body;
      const change = { projectId, environmentId, agentId, changes, archived };
      return { body: await agents.update({ ...change, ...deedOf(call) }) };
    },
  };
}
