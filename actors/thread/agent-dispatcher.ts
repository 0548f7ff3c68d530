/** The task `dispatchAgent`: finds out which agent has to answer, and lets the thread open a run. */
import type { Log } from '../../runtime/observability/index.ts';
import type { TaskContext } from '../../runtime/actor/index.ts';
import type { Database } from '../../storage/database/index.ts';
import { findAgentHead } from '../../storage/agents/index.ts';
import { findDefaultAgent, findRunStatus } from '../../storage/reads/index.ts';
import { systemActor, type Tenancy } from '../base/index.ts';
import type { OpenRun } from './commands.ts';

export interface AgentDispatcherServices {
  readonly db: Pick<Database, 'query'>;
  readonly log: Log;
}

/** Messages wait for the agent of the thread. */
export interface DispatchAgent extends Tenancy {
  /** The thread's own agent; null: the default agent of its channel, whichever that is now. */
  readonly agentId: string | null;
  readonly channelId: string | null;
  /** The live run, if there is one. */
  readonly liveRunId: string | null;
}

export type AgentDispatcher = (call: DispatchAgent, context: TaskContext) => Promise<void>;

/** An agent that is archived, or has no loom or no active version of it, cannot answer. */
export function createAgentDispatcher({ db, log }: AgentDispatcherServices): AgentDispatcher {
  return async ({ projectId, environmentId, agentId: ownAgentId, channelId, liveRunId }, context) => {
    const tenancy = { projectId, environmentId };
    // A run that has started is not disturbed: the thread calls again when it has ended.
    if (liveRunId !== null && (await findRunStatus(db, tenancy, liveRunId)) !== 'pending') return;
    const channelAgentId = channelId === null ? null : await findDefaultAgent(db, tenancy, channelId);
    const agentId = ownAgentId ?? channelAgentId;
    const head = agentId === null ? undefined : await findAgentHead(db, tenancy, agentId);
    if (head === undefined) {
      log.debug({ threadId: context.self.id, agentId }, 'the agent cannot answer, no run is opened');
      await context.ask(context.self, 'dropCall', tenancy);
      return;
    }
    const command: OpenRun = {
      projectId,
      environmentId,
      trigger: 'message',
      head,
      channelAgentId,
      ...(liveRunId === null ? {} : { supersedes: liveRunId }),
      metadata: {},
      author: systemActor,
    };
    await context.ask(context.self, 'openRun', command);
  };
}
