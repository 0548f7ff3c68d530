/** Reads what is decided about the agent of a run by now (see `CurrentAgents` in services.ts). Nothing of it is cached. */
import type { Database } from '../../storage/database/index.ts';
import { findAgentHead } from '../../storage/agents/index.ts';
import { findDefaultAgent } from '../../storage/reads/index.ts';
import type { CurrentAgents } from './services.ts';

export function createCurrentAgents(db: Pick<Database, 'query'>): CurrentAgents {
  return {
    async findCurrent({ projectId, environmentId }, agentId, { threadId, channelId }) {
      const tenant = { projectId, environmentId };
      const [head, channelAgentId] = await Promise.all([
        findAgentHead(db, tenant, agentId, threadId),
        channelId === null ? null : findDefaultAgent(db, tenant, channelId),
      ]);
      return { mode: head?.mode ?? null, channelAgentId };
    },
  };
}
