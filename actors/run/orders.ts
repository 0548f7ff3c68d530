/** What a run's tasks are given: made of its state, anew whenever they have to be. */
import type { Tenancy } from '../tenancy.ts';
import type { RunHead, RunState } from './state.ts';

/** An attempt of a tool call is made within this time of the commit that begins it, in milliseconds, or not at all. */
export const beginWithinMs = 5_000;

/** What a step needs of its run. */
export interface StepOrder extends Tenancy {
  readonly agentRunId: string;
  readonly threadId: string | null;
  readonly head: RunHead;
  readonly basedOnSequence: number;
  readonly step: number;
  readonly turns: readonly unknown[];
  /** What the run has cost so far. */
  readonly costMicros: number;
  /** Epoch milliseconds: nothing goes on beyond. */
  readonly deadline: number;
}

/** What the task `think` is given. */
export interface ThinkTask {
  /** Whose places it takes. */
  readonly environmentId: string;
  /** Null: the run is pending, and says what its first step is when there is a place for it. */
  readonly order: StepOrder | null;
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
  /** Epoch milliseconds: that attempt is not made later. */
  readonly beginBy: number;
  /** The longest that an attempt may take, in milliseconds, whatever has become of the tool since its call was wanted. */
  readonly attemptMs: number;
  readonly deadline: number;
}

/** What the task `call` is given. */
export interface CallTask {
  readonly order: Omit<CallOrder, 'lost'>;
  /** Epoch milliseconds: from then on nobody is at the attempt any more, and if it has said nothing it is lost. */
  readonly lostAt: number;
  /** The attempt was begun by the very commit that has this as its effect; else nobody may be at it any more. */
  readonly fresh: boolean;
}

/** The order for the next step of a run that exists. */
export function orderOf(state: RunState, agentRunId: string): StepOrder {
  const { projectId, environmentId, threadId, head, basedOnSequence } = state;
  if (head === null) throw new Error('a run that does not exist has no steps');
  return {
    ...{ projectId, environmentId, agentRunId, threadId, head, basedOnSequence },
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
    const begunAt = Date.parse(startedAt);
    const attemptMs = state.calls.find(open => open.callId === callId)?.attemptMs ?? 0;
    const order = { projectId, environmentId, agentRunId, threadId, callId, toolId, attempt, deadline };
    tasks.push({
      order: { ...order, arguments: call.arguments, attemptMs, beginBy: begunAt + beginWithinMs },
      lostAt: begunAt + beginWithinMs + attemptMs,
      fresh,
    });
  }
  return tasks;
}
