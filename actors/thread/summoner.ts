/** The task `summon`: finds out who is to answer, and has the thread open a run. */
import type { Log } from '../../runtime/log.ts';
import type { TaskContext } from '../../runtime/actor.ts';
import type { Database } from '../../storage/database.ts';
import { findAgentHead } from '../../storage/reads/agents.ts';
import { statusOfRun } from '../../storage/reads/runs.ts';
import { system } from '../system-actor.ts';
import type { Tenancy } from '../tenancy.ts';
import type { OpenRun } from './agent-commands.ts';

export interface SummonerServices {
  readonly db: Pick<Database, 'query'>;
  readonly log: Log;
}

/** Whom the thread calls, and the run that stands in the way. */
export interface SummonAgent extends Tenancy {
  readonly agentId: string;
  readonly liveRunId: string | null;
}

export type Summoner = (call: SummonAgent, context: TaskContext) => Promise<void>;

/** An agent that is archived, or has no loom or no active version of it, answers nothing. */
export function summoner({ db, log }: SummonerServices): Summoner {
  return async ({ projectId, environmentId, agentId, liveRunId }, context) => {
    const tenancy = { projectId, environmentId };
    // A run that is under way is let be: the thread calls again when it has ended.
    if (liveRunId !== null && (await statusOfRun(db, tenancy, liveRunId)) !== 'pending') return;
    const head = await findAgentHead(db, tenancy, agentId);
    if (head === undefined) {
      log.debug({ threadId: context.self.id, agentId }, 'the agent cannot answer: no run is made');
      await context.ask(context.self, 'dropCall', tenancy);
      return;
    }
    const order: OpenRun = {
      ...tenancy,
      trigger: 'message',
      head,
      ...(liveRunId === null ? {} : { supersedes: liveRunId }),
      metadata: {},
      author: system,
    };
    await context.ask(context.self, 'openRun', order);
  };
}
