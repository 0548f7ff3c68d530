/** What a run's tasks are given: made of its state, anew whenever they have to be. */
import type { Tenancy } from '../tenancy.ts';
import type { RunHead, RunState } from './state.ts';

/** What a step needs of its run. */
export interface StepOrder extends Tenancy {
  readonly agentRunId: string;
  readonly threadId: string | null;
  readonly head: RunHead;
  readonly basedOnSequence: number;
  readonly inputMessageId: string | null;
  readonly step: number;
  readonly turns: readonly unknown[];
  /** What the run has cost so far. */
  readonly costMicros: number;
  /** Epoch milliseconds: nothing goes on beyond. */
  readonly deadline: number;
}

/** What a tool call needs of its run. */
export interface CallOrder extends Tenancy {
  readonly agentRunId: string;
  readonly threadId: string | null;
  readonly callId: string;
  readonly toolId: string;
  readonly arguments: unknown;
  /** The attempt that is committed already. */
  readonly attempt: number;
  /**
   * False: that attempt is to be made now. True: it was out when its node died, and what came of it is not known; it is never made
   * again, and the next one only where the tool's own rule has one left. Where it has none, the outcome is `interrupted`.
   */
  readonly lost: boolean;
  readonly deadline: number;
}

/** What the task `call` is given. */
export interface CallTask {
  readonly order: Omit<CallOrder, 'lost'>;
  /** Epoch milliseconds: when the attempt was begun. */
  readonly startedAt: number;
  /** The attempt was begun by the very commit that has this as its effect; else nobody may be at it any more. */
  readonly fresh: boolean;
}

/** The order for the next step of a run that exists. */
export function orderOf(state: RunState, agentRunId: string): StepOrder {
  const { projectId, environmentId, threadId, head, basedOnSequence, inputMessageId } = state;
  if (head === null) throw new Error('a run that does not exist has no steps');
  return {
    ...{ projectId, environmentId, agentRunId, threadId, head, basedOnSequence, inputMessageId },
    step: state.trace.steps.length + 1,
    turns: state.turns,
    costMicros: state.estimatedCostMicros ?? 0,
    deadline: state.deadline,
  };
}

/** The calls of the newest step that have no outcome. */
export function callTasks(state: RunState, agentRunId: string, fresh: boolean): CallTask[] {
  const { projectId, environmentId, threadId, trace, deadline } = state;
  const tasks: CallTask[] = [];
  for (const call of trace.steps.at(-1)?.toolCalls ?? []) {
    const { callId, toolId, attempts: attempt, startedAt } = call;
    if (call.status !== 'pending' || toolId === null) continue;
    const order = { projectId, environmentId, agentRunId, threadId, callId, toolId, attempt, deadline };
    tasks.push({
      order: { ...order, arguments: call.arguments },
      startedAt: Date.parse(startedAt),
      fresh,
    });
  }
  return tasks;
}
