/**
 * A run: one execution of an agent over a thread (specification, "Agent run"; decisions, sections 4 and 5).
 *
 *   (nothing) -> pending     begun, by its thread or by a request
 *   pending   -> running     a place was free for its first model step
 *   running   -> succeeded   the thread has taken its answer: sent, or kept as a suggestion
 *   running   -> failed      model, budget, a limit, or the time
 *   pending, running -> cancelled
 *
 * While it is running it goes from phase to phase, and each arrow is a commit, so that a node which dies between any two loses
 * neither a model's answer nor a tool's result:
 *
 *   thinking  -> calling     the model wants tools
 *   calling   -> thinking    every call of the step has its outcome
 *   thinking  -> answering   the model has answered: the thread decides what becomes of it
 *   thinking, calling, answering -> over
 *
 * A run that is answering does not decide by itself that nobody listens: what its thread has sent is sent. When the time is over it asks
 * again, and is given up only when the thread has said nothing at all.
 *
 * A model step that was out when its node died is asked again. A tool call that was out is not: its attempt was committed before
 * it was made, and is made again only where the tool's own retry rule has attempts left.
 */
import type { RunStatus } from '../../protocol/resources/agent.ts';
import type { AgentHead } from '../../storage/reads/agents.ts';
import type { Metadata, Tenancy } from '../tenancy.ts';
import type { RunTrace } from './trace.ts';

export type RunPhase = 'waiting' | 'thinking' | 'calling' | 'answering' | 'over';

/** What a run is of: its agent as it was when the run began. Never paused: then there is no run. */
export type RunHead = AgentHead;

/** What the trace does not show of a call. */
export interface OpenCall {
  readonly callId: string;
  /** The provider's id for it. */
  readonly providerCallId: string;
  /** The longest that one attempt may take, in milliseconds. */
  readonly attemptMs: number;
}

export interface RunState extends Tenancy {
  /** `projectId` is empty while the run does not exist. */
  readonly threadId: string | null;
  /** Null while the run does not exist. */
  readonly head: RunHead | null;
  readonly inputMessageId: string | null;
  readonly outputMessageId: string | null;
  readonly status: RunStatus;
  readonly phase: RunPhase;
  /** The thread's sequence that the run answers: later messages are not shown to the model. */
  readonly basedOnSequence: number;
  /** Sums over the steps; null until a model has answered. */
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  readonly totalTokens: number | null;
  /** Null while no step's price is known. */
  readonly estimatedCostMicros: number | null;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  readonly toolCallCount: number;
  readonly trace: RunTrace;
  /**
   * What has been said since the run began, in the model library's own form (assistant messages with whatever the provider wants
   * back, and tool results): sent with the next step as it is.
   */
  readonly turns: readonly unknown[];
  /** The calls of the newest step, in the order in which the model made them: what their results are told by. Empty elsewhere. */
  readonly calls: readonly OpenCall[];
  /** Of the results that are kept. */
  readonly resultCharacters: number;
  /** Epoch milliseconds: when the run is given up, in the phase that it is in; or asks its thread again. */
  readonly deadline: number;
  /** How often the thread was asked what becomes of the answer. */
  readonly asks: number;
  readonly metadata: Metadata;
  /** ISO 8601, all four. */
  readonly startedAt: string | null;
  readonly completedAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Events of the run so far: what their ids are numbered by. */
  readonly events: number;
}

/** Steps of one run, its time from the start, and its tokens (decisions, section 5). */
export const mostSteps = 16;
export const longestRunMs = 120_000;
export const mostTokens = 500_000;
/** Calls of one step; the model is told that the others are not made, and nobody else is. */
export const mostCalls = 16;
/** Characters of the results that are kept, all together; what goes beyond is told as an error. */
export const mostResultCharacters = 1_048_576;
/** How long a run may wait for its first step, and, each time that it asks for it, for its thread's verdict. */
export const longestWaitMs = 600_000;
/** An hour of asking: what the thread has said durably has come by then, or is buried. */
export const mostAsks = 6;
/** While a run is live, somebody looks after it this often. */
export const resumeEveryMs = 5_000;

/** A run that does not exist. */
export function blankRun(): RunState {
  return {
    projectId: '',
    environmentId: '',
    threadId: null,
    head: null,
    inputMessageId: null,
    outputMessageId: null,
    status: 'pending',
    phase: 'waiting',
    basedOnSequence: 0,
    promptTokens: null,
    completionTokens: null,
    totalTokens: null,
    estimatedCostMicros: null,
    errorCode: null,
    errorMessage: null,
    toolCallCount: 0,
    trace: { steps: [] },
    turns: [],
    calls: [],
    resultCharacters: 0,
    deadline: 0,
    asks: 0,
    metadata: {},
    startedAt: null,
    completedAt: null,
    createdAt: '',
    updatedAt: '',
    events: 0,
  };
}

/** Whether a run of that status does nothing any more. */
export function hasEnded(status: RunStatus): boolean {
  return status === 'succeeded' || status === 'failed' || status === 'cancelled';
}
