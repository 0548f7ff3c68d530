/** The task `offerAnswer`: offers a run's answer to its thread, together with what the rows say of the agent at that moment. */
import type { TaskContext } from '../../../runtime/actor/index.ts';
import { ServiceError } from '../../../protocol/errors.ts';
import type { RetryPolicy } from '../../base/index.ts';
import { runCommand, type AnswerDecision } from '../commands.ts';
import type { TakeAnswer } from '../thread-reports.ts';
import type { OfferAnswerTask } from '../task-requests.ts';
import type { RunServices } from '../services.ts';
import type { InFlight } from './in-flight.ts';

/**
 * Until the thread has the answer, or the run has ended. Where the agent was changed after it was read, the thread says 409. A run whose
 * thread was removed is told so, and ends.
 */
export function createOfferAnswerTask(
  { agents }: Pick<RunServices, 'agents'>,
  inFlight: InFlight,
  retryPolicy: RetryPolicy,
) {
  return async ({ threadId, channelId, agentId, answer }: OfferAnswerTask, context: TaskContext) => {
    await inFlight.run(answer.agentRunId, 'answer', signal =>
      retryPolicy.retry(
        'an answer could not be offered to its thread',
        async () => {
          const agent = await agents.findCurrent(answer, agentId, { threadId, channelId });
          const command: TakeAnswer = { ...answer, agent };
          try {
            await context.ask({ kind: 'thread', id: threadId }, 'takeAnswer', command);
          } catch (error) {
            if (!isNotFound(error)) throw error;
            await context.ask(context.self, runCommand.answerDecided, createDecisionWithoutThread(answer));
          }
        },
        error => signal.aborted || isNotFound(error),
      ),
    );
  };
}

function isNotFound(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'svc/runtime/not_found';
}

function createDecisionWithoutThread({
  projectId,
  environmentId,
}: OfferAnswerTask['answer']): AnswerDecision {
  return { projectId, environmentId, outcome: 'cancelled', reason: 'The thread was removed.' };
}
