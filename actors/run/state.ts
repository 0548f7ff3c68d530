/**
 * A run: one execution of an agent over a thread.
 *
 *   (nothing) -> pending     begun, by its thread or by a request
 *   pending   -> running     there was room for its first model step
 *   running   -> succeeded   the thread has taken its answer: sent, or kept as a suggestion
 *   running   -> failed      model, budget, a limit, or the time
 *   pending, running -> cancelled
 *
 * A running run goes from phase to phase. Each arrow is a commit, so that a node which dies in between loses neither a model's answer
 * nor a tool's result:
 *
 *   thinking  -> calling     the model wants tools
 *   calling   -> thinking    every call of the step has its outcome
 *   thinking  -> answering   the model has answered: the thread decides what becomes of the answer
 *   thinking, calling, answering -> over
 *
 * A call whose tool requires a person's approval waits in the phase `calling` (decide-approvals.ts).
 *
 * A run that is answering never decides by itself that its answer was not taken, since the thread may have sent it. It offers the answer
 * again and again, and fails only after the thread has not decided for an hour.
 *
 * A model step that was in flight when its node died is asked again. A tool call is not: its attempt was committed before it was made,
 * and another attempt is made only if the tool's own retry rule has attempts left.
 */
import type { RunStatus } from '../../protocol/resources/index.ts';
import type { AgentHead } from '../../storage/agents/index.ts';
import type { Metadata, Tenancy } from '../base/index.ts';
import type { RunTrace } from './trace.ts';

export type RunPhase = 'waiting' | 'thinking' | 'calling' | 'answering' | 'over';

/** The agent of a run, as it was when the run began. It is never paused: then there is no run, or one that was asked for and suggests. */
export type RunHead = AgentHead;

/** What the run knows of a call beyond its trace. */
export interface OpenCall {
  readonly callId: string;
  /** The provider's id of the call. */
  readonly providerCallId: string;
  /** The longest that one attempt may take, in milliseconds. */
  readonly attemptMs: number;
}

export interface RunState extends Tenancy {
  /** `projectId` is empty while the run does not exist. */
  readonly threadId: string | null;
  /** The channel of the thread. */
  readonly channelId: string | null;
  /** Null while the run does not exist. */
  readonly head: RunHead | null;
  /** It was asked for while its agent was paused. */
  readonly evenPaused: boolean;
  readonly inputMessageId: string | null;
  readonly outputMessageId: string | null;
  readonly status: RunStatus;
  readonly phase: RunPhase;
  /** The thread's sequence that the run answers. The model is not shown later messages. */
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
   * What has been said since the run began, in the model library's own form: assistant messages with whatever the provider wants back,
   * and tool results. The next step sends it as it is.
   */
  readonly turns: readonly unknown[];
  /** The calls of the newest step, in the model's order. Empty in all phases but `calling`. */
  readonly calls: readonly OpenCall[];
  /** When calls that wait for approval are refused, in epoch milliseconds; 0: none waits. */
  readonly approvalsExpireAt: number;
  /** A person has taken over the thread. */
  readonly isTakenOver: boolean;
  /** The characters of all results that are kept. */
  readonly resultCharacters: number;
  /** When the run is given up in its present phase, in epoch milliseconds. */
  readonly deadline: number;
  readonly metadata: Metadata;
  /** ISO 8601, all four. */
  readonly startedAt: string | null;
  readonly completedAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** How many events the run has had; numbers their ids. */
  readonly events: number;
}

/** Limits of one run: docs/contract-decisions.md ("Agents on threads"). */
export const maxSteps = 16;
export const maxRunTokens = 500_000;
/** Milliseconds from the first step to the end. */
export const maxRunMs = 120_000;
/** Calls of one step. The model is told that the others are not made; they have no events. */
export const maxCalls = 16;
/** Characters of all results that are kept. A result beyond is replaced by an error. */
export const maxResultCharacters = 1_048_576;
/** How long a run may wait for its first step. */
export const maxPendingMs = 600_000;
/** How long it may wait for its thread's decision: by then every durable tell of the thread has arrived, or is a dead letter. */
export const maxAnsweringMs = 3_600_000;
/** How long a call waits for a person's approval. */
export const maxApprovalMs = 86_400_000;
/** A live run is resumed this often, in case its tasks were lost. */
export const resumeEveryMs = 5_000;

/** A run that does not exist. */
export function blankRun(): RunState {
  return {
    projectId: '',
    environmentId: '',
    threadId: null,
    channelId: null,
    head: null,
    evenPaused: false,
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
    approvalsExpireAt: 0,
    isTakenOver: false,
    resultCharacters: 0,
    deadline: 0,
    metadata: {},
    startedAt: null,
    completedAt: null,
    createdAt: '',
    updatedAt: '',
    events: 0,
  };
}

/** Whether a run of that status has come to its end. */
export function hasEnded(status: RunStatus): boolean {
  return status === 'succeeded' || status === 'failed' || status === 'cancelled';
}
