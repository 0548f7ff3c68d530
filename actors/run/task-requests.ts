/** What a run gives its tasks. It is made from the run's state whenever a task has to be started, again too. */
import type { Tenancy } from '../base/index.ts';
import { maxApprovalMs, type RunHead, type RunState } from './state.ts';
import type { TakeAnswer } from './thread-reports.ts';

/** An attempt of a tool call is made within this many milliseconds of the commit that begins it, or not at all. */
export const beginWithinMs = 5_000;

/** What a model step needs of its run. */
export interface StepRequest extends Tenancy {
  readonly agentRunId: string;
  readonly threadId: string | null;
  readonly channelId: string | null;
  readonly head: RunHead;
  readonly basedOnSequence: number;
  readonly step: number;
  readonly turns: readonly unknown[];
  /** What the run has cost so far. */
  readonly costMicros: number;
  /** Nothing goes on beyond this instant, in epoch milliseconds. */
  readonly deadline: number;
  /** W3C Trace Context for the provider, given by the task where the run's trace is kept. */
  readonly traceparent?: string;
}

/** The payload of the task `modelStep`. */
export interface ModelStepTask {
  /** The environment for which the step counts. */
  readonly environmentId: string;
  /** Null: the run is pending. It says what its first step is when there is room for it. */
  readonly request: StepRequest | null;
}

/** What a tool call needs of its run. */
export interface ToolCallRequest extends Tenancy {
  readonly agentRunId: string;
  readonly threadId: string | null;
  readonly callId: string;
  readonly toolId: string;
  readonly arguments: unknown;
  /** A person has approved the call. */
  readonly isApproved: boolean;
  /** When the approval was requested, in epoch milliseconds: it is for the tool as it was then. Absent for a call without an approval. */
  readonly approvalAskedAt?: number;
  /** The attempt that is committed already. */
  readonly attempt: number;
  /**
   * False: that attempt has to be made now. True: it was in flight when its node died, and its outcome is unknown. It is never made
   * again; the next attempt is made only if the tool's retry rule has one left. If not, the outcome is `interrupted`.
   */
  readonly lost: boolean;
  /** The attempt is not made later than this instant, in epoch milliseconds. */
  readonly beginBy: number;
  /** The longest that an attempt may take, in milliseconds, even if the tool was changed since the model wanted the call. */
  readonly attemptMs: number;
  readonly deadline: number;
  /** W3C Trace Context for the tool, given by the task where the run's trace is kept. */
  readonly traceparent?: string;
}

/** The payload of the task `toolCall`. */
export interface ToolCallTask {
  readonly request: Omit<ToolCallRequest, 'lost'>;
  /** From this instant on (epoch milliseconds) no node is working on the attempt: without an outcome it is lost. */
  readonly lostAt: number;
  /** This task is an effect of the commit that began the attempt. Otherwise another node may have been at it. */
  readonly fresh: boolean;
}

/** The payload of the task `offerAnswer`. */
export interface OfferAnswerTask {
  readonly threadId: string;
  readonly channelId: string | null;
  readonly agentId: string;
  readonly answer: Omit<TakeAnswer, 'agent'>;
}

/** The request for the next step of a run that exists. */
export function createStepRequest(state: RunState, agentRunId: string): StepRequest {
  const { head } = state;
  if (head === null) throw new Error('a run that does not exist has no steps');
  return {
    projectId: state.projectId,
    environmentId: state.environmentId,
    agentRunId,
    threadId: state.threadId,
    channelId: state.channelId,
    head,
    basedOnSequence: state.basedOnSequence,
    step: state.trace.steps.length + 1,
    turns: state.turns,
    costMicros: state.estimatedCostMicros ?? 0,
    deadline: state.deadline,
  };
}

/** The offer of the newest step's text to the thread; undefined for a run without a thread. */
export function createAnswerOffer(state: RunState, agentRunId: string): OfferAnswerTask | undefined {
  const { projectId, environmentId, threadId, channelId, head, trace } = state;
  if (threadId === null || head === null) return undefined;
  const output = trace.steps.at(-1)?.output ?? '';
  const answer: OfferAnswerTask['answer'] = {
    projectId,
    environmentId,
    agentRunId,
    body: output.trim() === '' ? '' : output,
    mode: head.mode,
    ...(trace.handoff === undefined ? {} : { handoff: trace.handoff }),
  };
  return { threadId, channelId, agentId: head.agentId, answer };
}

/** The tasks for the calls of the newest step that have no outcome. */
export function createToolCallTasks(state: RunState, agentRunId: string, fresh: boolean): ToolCallTask[] {
  const tasks: ToolCallTask[] = [];
  for (const call of state.trace.steps.at(-1)?.toolCalls ?? []) {
    const { callId, toolId } = call;
    if (call.status !== 'pending' || toolId === null) continue;
    const begunAt = Date.parse(call.startedAt);
    const attemptMs = state.calls.find(open => open.callId === callId)?.attemptMs ?? 0;
    tasks.push({
      request: {
        projectId: state.projectId,
        environmentId: state.environmentId,
        agentRunId,
        threadId: state.threadId,
        callId,
        toolId,
        arguments: call.arguments,
        isApproved: call.approval?.status === 'approved',
        ...(call.approval === undefined
          ? {}
          : { approvalAskedAt: Date.parse(call.approval.expiresAt) - maxApprovalMs }),
        attempt: call.attempts,
        beginBy: begunAt + beginWithinMs,
        attemptMs,
        deadline: state.deadline,
      },
      lostAt: begunAt + beginWithinMs + attemptMs,
      fresh,
    });
  }
  return tasks;
}
