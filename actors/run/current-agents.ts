/** Reads the agent of a run as it is now, and how often it has answered (see `CurrentAgents` in services.ts). Nothing of it is cached. */
import type { Clock } from '../../runtime/time/index.ts';
import type { Database } from '../../storage/database/index.ts';
import { findAgentHead } from '../../storage/agents/index.ts';
import { countAnswersElsewhere, findDefaultAgent } from '../../storage/reads/index.ts';
import type { Limits } from '../../storage/writes/index.ts';
import type { CurrentAgents } from './services.ts';

const hourMs = 3_600_000;

export interface CurrentAgentServices {
  readonly db: Pick<Database, 'query'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly limits: Pick<Limits, 'threadAnswers' | 'participantAnswers' | 'answerHops'>;
}

export function createCurrentAgents({ db, clock, limits }: CurrentAgentServices): CurrentAgents {
  const { threadAnswers, participantAnswers, answerHops } = limits;
  return {
    async findCurrent({ projectId, environmentId }, agentId, { threadId, channelId }) {
      const tenant = { projectId, environmentId };
      const since = new Date(clock.now() - hourMs);
      const [head, channelAgentId, answeredElsewhere] = await Promise.all([
        findAgentHead(db, tenant, agentId, threadId),
        channelId === null ? null : findDefaultAgent(db, tenant, channelId),
        countAnswersElsewhere(db, tenant, threadId, since),
      ]);
      return {
        mode: head?.mode ?? null,
        channelAgentId,
        limits: { threadAnswers, participantAnswers, answeredElsewhere, answerHops },
      };
    },
  };
}
