/** The task `dispatchAgent`: finds out which agent has to answer, lets the thread open a run, and shows that it answers. */
import type { Log } from '../../runtime/observability/index.ts';
import type { TaskContext } from '../../runtime/actor/index.ts';
import type { Database } from '../../storage/database/index.ts';
import { findAgentHead } from '../../storage/agents/index.ts';
import { findDefaultAgent, findProviderMessage, findRunStatus } from '../../storage/reads/index.ts';
import { systemActor, type Tenancy } from '../base/index.ts';
import type { MarkRead } from '../channel/index.ts';
import type { OpenedRun, OpenRun } from './commands.ts';

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
  /** The participant can be shown that somebody writes. */
  readonly showsTyping: boolean;
}

export type AgentDispatcher = (call: DispatchAgent, context: TaskContext) => Promise<void>;

/** An agent that is archived, or has no loom or no active version of it, cannot answer. */
export function createAgentDispatcher({ db, log }: AgentDispatcherServices): AgentDispatcher {
  return async (call, context) => {
    const { projectId, environmentId, agentId: ownAgentId, channelId, liveRunId, showsTyping } = call;
    const tenancy = { projectId, environmentId };
    // A run that has started is not disturbed: the thread calls again when it has ended.
    if (liveRunId !== null && (await findRunStatus(db, tenancy, liveRunId)) !== 'pending') return;
    const channelAgentId = channelId === null ? null : await findDefaultAgent(db, tenancy, channelId);
    const agentId = ownAgentId ?? channelAgentId;
    const head = agentId === null ? undefined : await findAgentHead(db, tenancy, agentId, context.self.id);
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
    const opened = (await context.ask(context.self, 'openRun', command)) as OpenedRun | null;
    if (showsTyping && opened?.begin.head.mode === 'auto') await showTyping({ db, log }, tenancy, context);
  };
}

/**
 * Lets the participant see that somebody answers, once for each run that a message has begun: the provider shows it for 25 seconds, or until
 * the answer. It rests on the message, which is committed; lost, nothing is missing.
 */
async function showTyping(
  { db, log }: AgentDispatcherServices,
  tenancy: Tenancy,
  context: Pick<TaskContext, 'self' | 'ask'>,
): Promise<void> {
  try {
    const found = await findProviderMessage(db, { ...tenancy, threadId: context.self.id });
    if (found === undefined) return;
    const { channelId, externalMessageId } = found;
    const mark: MarkRead = { externalMessageId, typing: true };
    await context.ask({ kind: 'channel', id: channelId }, 'markRead', mark);
  } catch (err) {
    log.debug({ err, threadId: context.self.id }, 'a participant was not shown that an agent answers');
  }
}
