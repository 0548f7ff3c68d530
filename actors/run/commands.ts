/**
 * The commands of a run. Payloads and replies are JSON. Commands from a request or from the run's thread name the tenant. Commands from
 * the run's own tasks and timers do not, but they always name the step or call that they are about: one that comes late, or twice, is
 * recognised and changes nothing.
 */
import type { Actor, AgentMode, AgentRun, ByokCredential } from '../../protocol/resources/index.ts';
import type { AgentHead } from '../../storage/agents/index.ts';
import type { Audited, Keyed, Metadata, Tenancy } from '../base/index.ts';
import type { StepRequest } from './task-requests.ts';
import type { RunHead } from './state.ts';
import type { Settlement, SpentBudget, Suggestion } from './trace.ts';

/**
 * The names of commands go from node to node, also between two releases during an upgrade, and are stored with reminders: they do not
 * change. These three are older than the names that the code uses now.
 */
export const runCommand = {
  stepCompleted: 'thought',
  toolCompleted: 'called',
  answerDecided: 'judged',
} as const;

/** Creates the run and starts it. Told twice (by the thread, and by a caller who waits for the answer), it begins once. */
export interface BeginRun extends Tenancy, Keyed, Audited {
  readonly threadId: string | null;
  /** The channel of the thread. Absent where a node of an earlier release says it. */
  readonly channelId?: string | null;
  readonly head: RunHead;
  /** It was asked for while its agent was paused: that it is keeps nobody from approving its calls. */
  readonly evenPaused?: true;
  readonly inputMessageId: string | null;
  readonly basedOnSequence: number;
  readonly metadata: Metadata;
  readonly author: Actor;
}

/** With which agent a run begins whose thread or agent is in that mode. One that is paused suggests what it was asked for all the same. */
export function beginInMode(agent: AgentHead, mode: AgentMode): Pick<BeginRun, 'head' | 'evenPaused'> {
  if (mode !== 'paused') return { head: { ...agent, mode } };
  return { head: { ...agent, mode: 'suggest' }, evenPaused: true };
}

/** A tool call that the model wants; the run numbers it. */
export interface RequestedCall {
  /** The provider's id of the call, which its result has to name. */
  readonly providerCallId: string;
  readonly name: string;
  readonly toolId: string | null;
  /** The longest that one attempt may take, in milliseconds, by the tool as it was planned. */
  readonly attemptMs?: number;
  readonly arguments: unknown;
  /** A person has to approve the call, by the tool as it was planned. */
  readonly requiresApproval?: true;
  /** Why the call cannot be made (no such tool, arguments against the schema): the model gets it as the result. */
  readonly refusal?: string;
}

/** What answers of a model have used; null: the provider does not say. */
export interface ModelUse {
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  /** In millionths of a dollar; null as well where the model has no price. */
  readonly costMicros: number | null;
}

export const noUse: ModelUse = { promptTokens: null, completionTokens: null, costMicros: null };

export function addUse(one: ModelUse, other: ModelUse): ModelUse {
  return {
    promptTokens: add(one.promptTokens, other.promptTokens),
    completionTokens: add(one.completionTokens, other.completionTokens),
    costMicros: add(one.costMicros, other.costMicros),
  };
}

/** Input and output together. */
export function sumTokens({ promptTokens, completionTokens }: Omit<ModelUse, 'costMicros'>): number | null {
  return add(promptTokens, completionTokens);
}

function add(a: number | null, b: number | null): number | null {
  return a === null ? b : a + (b ?? 0);
}

/** What a model said in one step. What it has used has that of earlier attempts at the step, too, whose answers were none. */
export interface ModelAnswer extends ModelUse {
  readonly text: string;
  readonly calls: readonly RequestedCall[];
  /**
   * The model's messages, which the next step sends as they are. Results of calls are not among them: the run adds those, for calls
   * that cannot be made too.
   */
  readonly messages: readonly unknown[];
  readonly finishReason: string;
  readonly promptCharacters: number;
  /** The model called the built-in tool that asks for a human. */
  readonly handoff?: { readonly reason: string };
}

/** The stable codes of `AgentRun.errorCode`. */
export type RunErrorCode =
  | 'byok_missing'
  | 'model_not_allowed'
  | 'rate_limited'
  | 'key_rejected'
  | 'context_too_long'
  | 'refused'
  | 'timeout'
  | 'unreachable'
  | 'provider_error'
  | 'invalid_answer'
  | 'empty_answer'
  | 'step_limit'
  | 'token_limit'
  | 'budget_exceeded'
  | 'configuration'
  | 'internal_error';

/** Why a step has no answer. Retries are over by then. */
export interface RunFailure {
  readonly errorCode: RunErrorCode;
  /** For the owner of the project: no secrets, nothing about our system. */
  readonly errorMessage: string;
  /** The key that the provider does not accept. */
  readonly rejected?: ByokCredential;
  /** What answers that are none have used all the same: it is paid for. */
  readonly use?: ModelUse;
  readonly budget?: SpentBudget;
  /** With `budget`, of a run in a thread: the agent's own mode by now; `paused` where it cannot answer any more. */
  readonly agentMode?: AgentMode;
}

/** The result of one step: an answer or a failure. */
export interface StepCompleted {
  /** The number of the step: one more than there are steps in the trace. */
  readonly step: number;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly answer?: ModelAnswer;
  readonly failure?: RunFailure;
}

/** The result of a tool call, all attempts together. */
export interface ToolOutcome {
  readonly callId: string;
  readonly status: 'succeeded' | 'failed' | 'interrupted';
  readonly durationMs: number;
  readonly httpStatus: number | null;
  /** For the model: JSON, at most 256 KiB, secrets redacted. */
  readonly result: unknown;
  readonly error: string | null;
}

/** What the thread has decided about the run's answer. */
export interface AnswerDecision extends Tenancy {
  /** `sent`: `messageId`. `suggested`: `suggestion`. `superseded`: a human was faster; `suggestion` says so. `cancelled`: `reason`. */
  readonly outcome: 'sent' | 'suggested' | 'superseded' | 'cancelled';
  readonly messageId?: string;
  readonly suggestion?: Suggestion;
  /** In words: shown as `errorMessage`. */
  readonly reason?: string;
}

/**
 * What became of the run's suggestion. Told twice, it is settled once. 503 until the thread's decision, which makes the suggestion,
 * has come: a durable tell is repeated.
 */
export interface SettleSuggestion extends Tenancy {
  readonly settlement: Settlement;
}

/** From its thread: a run that has ended stays as it is, and one that has not begun answers 503, so that the durable tell is repeated. */
export interface CancelRun extends Tenancy, Keyed, Audited {
  /** In words: shown as `errorMessage`. */
  readonly reason: string;
  /** `thread`: it has let go of the run already and is not told. */
  readonly by: 'request' | 'thread';
}

/** A person's decision about a call that waits for approval. */
export interface ResolveCall extends Tenancy, Keyed, Audited {
  readonly callId: string;
  readonly action: 'approve' | 'refuse';
  /** Why it is refused: the model is told. */
  readonly reason?: string;
  readonly author: Actor;
}

// A type and not an interface: only a type has the index signature that `Commands` requires.
export type RunCommands = {
  /** Replies with the run without its steps: they may be large. */
  readonly begin: { readonly payload: BeginRun; readonly reply: AgentRun };
  /** There is room for the run's first step: the run is running from now on. Replies with that step, or null: it must not be made. */
  readonly start: { readonly payload: unknown; readonly reply: StepRequest | null };
  readonly [runCommand.stepCompleted]: { readonly payload: StepCompleted; readonly reply: null };
  /** An attempt of a tool call is about to be made. False: it must not be. */
  readonly attempt: {
    readonly payload: { readonly callId: string; readonly attempt: number };
    readonly reply: boolean;
  };
  readonly [runCommand.toolCompleted]: { readonly payload: ToolOutcome; readonly reply: null };
  readonly [runCommand.answerDecided]: { readonly payload: AnswerDecision; readonly reply: null };
  readonly settleSuggestion: { readonly payload: SettleSuggestion; readonly reply: null };
  /** 404 for a call that the run has not made, 409 for one that waits for nobody. */
  readonly resolveCall: { readonly payload: ResolveCall; readonly reply: null };
  /** The reminder: nobody has decided about the calls that wait. */
  readonly expireApprovals: { readonly payload: unknown; readonly reply: null };
  /** From its thread, durably: a person writes there, or was assigned. */
  readonly humanTookOver: { readonly payload: Tenancy; readonly reply: null };
  /** 409 for a run that has ended. */
  readonly cancel: { readonly payload: CancelRun; readonly reply: null };
  /** The reminder: the run's time is over. */
  readonly expire: { readonly payload: unknown; readonly reply: null };
  /** Resumes what a crash, or a move to another node, has interrupted: when the run is loaded, and every few seconds while it is live. */
  readonly resume: { readonly payload: unknown; readonly reply: null };
};
