/** Declares the actor kind `run`: its decisions, and the tasks that make model steps and tool calls. */
import { actor, type ActorKind, type TaskContext } from '../../runtime/actor/index.ts';
import type { Write } from '../../storage/statements/index.ts';
import { toShardKey } from '../../protocol/ids.ts';
import { keepReply, RetryPolicy } from '../base/index.ts';
import { runCommand, type RunCommands } from './commands.ts';
import { expireApprovals, humanTookOver, resolveCall } from './decide-approvals.ts';
import { beginAttempt, toolCompleted } from './decide-tools.ts';
import { begin, cancel, expire, resume, start, answerDecided, settleSuggestion } from './decide-lifecycle.ts';
import { stepCompleted } from './decide-step.ts';
import type { RunServices } from './services.ts';
import { blankRun, type RunState } from './state.ts';
import { createToolCallTask } from './tasks/tool-call.ts';
import { Reporter } from './tasks/reporter.ts';
import { ModelStep } from './tasks/model-step.ts';
import { InFlight } from './tasks/in-flight.ts';
import { createOfferAnswerTask } from './tasks/offer-answer.ts';

export interface Runs {
  readonly kind: ActorKind<RunState, RunCommands, Write>;
  /** Steps and calls that are in flight. */
  readonly inFlight: number;
  /** Before the node drains: no step is begun any more, so that what is in flight can be answered and committed. */
  drain(): void;
  /** Stops what is in flight; the node that gets the run resumes it. */
  giveUp(): void;
}

/** @param services what the tasks work with */
export function createRuns(services: RunServices): Runs {
  const retryPolicy = new RetryPolicy(services);
  const inFlight = new InFlight();
  const reporter = new Reporter(services, retryPolicy);
  const modelStep = new ModelStep(services, inFlight, reporter, retryPolicy);
  const kind = actor<RunState, RunCommands, Write>({
    kind: 'run',
    initialState: blankRun,
    shardKey: toShardKey,
    onActivate: 'resume',
    // A run that has ended is hardly ever asked again.
    idleMs: 60_000,
    // More than the steps and calls that may run or wait: other tasks, above all `stop`, never have to wait for them.
    tasksAtOnce: 16_384,
    decide: {
      begin: keepReply(begin),
      start,
      [runCommand.stepCompleted]: stepCompleted,
      attempt: beginAttempt,
      [runCommand.toolCompleted]: toolCompleted,
      [runCommand.answerDecided]: answerDecided,
      settleSuggestion,
      resolveCall: keepReply(resolveCall),
      expireApprovals,
      humanTookOver,
      cancel: keepReply(cancel),
      expire,
      resume,
    },
    tasks: {
      modelStep: retryPolicy.guard(modelStep.run),
      toolCall: retryPolicy.guard(createToolCallTask(services, inFlight, reporter, retryPolicy)),
      offerAnswer: retryPolicy.guard(createOfferAnswerTask(services, inFlight, retryPolicy)),
      stop: (_: unknown, { self }: TaskContext) => {
        inFlight.stop(self.id);
        return Promise.resolve();
      },
    },
  });
  return {
    kind,
    get inFlight() {
      return inFlight.size;
    },
    drain() {
      modelStep.drain();
      retryPolicy.stop();
    },
    giveUp: () => inFlight.stopAll(),
  };
}
