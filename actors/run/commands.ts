/**
 * What a run is asked and told. Payloads and replies are JSON. What comes from a request or from the run's thread says whose run it
 * means; what comes from the run's own tasks and timers says nothing of it, but always names the step or call it is about, so that
 * whatever comes late, or twice, is known for what it is and changes nothing.
 */
import type { AgentRun } from '../../protocol/resources/agent.ts';
import type { ByokCredential } from '../../protocol/resources/byok.ts';
import type { Actor } from '../../protocol/resources/message.ts';
import type { Metadata, Tenancy } from '../tenancy.ts';
import type { StepOrder } from './orders.ts';
import type { RunHead } from './state.ts';
import type { Settlement, SpentBudget, Suggestion } from './trace.ts';

/** Makes the run and starts it. Said twice (the thread's durable tell, and whoever waits for the answer), it is begun once. */
export interface BeginRun extends Tenancy {
  readonly threadId: string | null;
  readonly head: RunHead;
  readonly inputMessageId: string | null;
  readonly basedOnSequence: number;
  readonly metadata: Metadata;
  readonly author: Actor;
}

/** A tool call that the model wants; the run numbers it. */
export interface WantedCall {
  /** The provider's id for it, by which its result is told. */
  readonly providerCallId: string;
  readonly name: string;
  readonly toolId: string | null;
  /** The longest that one attempt may take, in milliseconds, by the tool as it was planned. */
  readonly attemptMs?: number;
  readonly arguments: unknown;
  /** Why it cannot be made (no such tool, arguments against the schema): told to the model as its result. */
  readonly refusal?: string;
}

/** What a model said in one step. */
export interface ModelAnswer {
  readonly text: string;
  readonly calls: readonly WantedCall[];
  /**
   * The model's messages, to be sent with the next step as they are: without results of calls, which the run adds, those of calls
   * that cannot be made too.
   */
  readonly messages: readonly unknown[];
  readonly finishReason: string;
  readonly promptCharacters: number;
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  readonly costMicros: number | null;
  /** It called the built-in tool that asks for a human. */
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
  | 'not_sendable'
  | 'internal_error';

/** Why a step has no answer; retries are over by then. */
export interface RunFailure {
  readonly errorCode: RunErrorCode;
  /** For the owner of the project: no secret, nothing of ours. */
  readonly errorMessage: string;
  /** The key that the provider does not take. */
  readonly rejected?: ByokCredential;
  readonly budget?: SpentBudget;
}

/** What came of one step. */
export interface Thought {
  /** The number of the step: one more than those that are in the trace. */
  readonly step: number;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly answer?: ModelAnswer;
  readonly failure?: RunFailure;
}

/** What came of a tool call, all attempts together. */
export interface CallOutcome {
  readonly callId: string;
  readonly status: 'succeeded' | 'failed' | 'interrupted';
  readonly durationMs: number;
  readonly httpStatus: number | null;
  /** For the model: JSON, at most 256 KiB, secrets blotted out. */
  readonly result: unknown;
  readonly error: string | null;
}

/** What the thread has made of the run's answer. */
export interface Verdict extends Tenancy {
  /** `sent`: `messageId`. `suggested`: `suggestion`. `superseded`: a human was faster; `suggestion` says so. `refused`: `failure`. */
  readonly outcome: 'sent' | 'suggested' | 'superseded' | 'refused';
  readonly messageId?: string;
  readonly suggestion?: Suggestion;
  readonly failure?: RunFailure;
}

/**
 * What became of the run's suggestion; said twice, it is settled once. 503 while the thread's verdict, which makes the suggestion, has
 * not come yet: a durable tell then comes again.
 */
export interface SettleSuggestion extends Tenancy {
  readonly settlement: Settlement;
}

/** By its thread, a run that has ended stays as it is, and one that has not begun yet answers 503: the durable tell comes again. */
export interface CancelRun extends Tenancy {
  /** In words: shown as `errorMessage`. */
  readonly reason: string;
  /** `thread`: it has let go of the run already, and is not told. */
  readonly by: 'request' | 'thread';
}

// A type and not an interface: only a type has the index signature that `Commands` asks for.
export type RunCommands = {
  /** Replies with the run without its steps: what has many does not cross the bus. */
  readonly begin: { readonly payload: BeginRun; readonly reply: AgentRun };
  /** A place is free: the run is running from now on. Replies with its first step; null: it is not to be made. */
  readonly start: { readonly payload: unknown; readonly reply: StepOrder | null };
  readonly thought: { readonly payload: Thought; readonly reply: null };
  /** An attempt of a tool call is about to be made; false: it must not be. */
  readonly attempt: {
    readonly payload: { readonly callId: string; readonly attempt: number };
    readonly reply: boolean;
  };
  readonly called: { readonly payload: CallOutcome; readonly reply: null };
  readonly judged: { readonly payload: Verdict; readonly reply: null };
  readonly settleSuggestion: { readonly payload: SettleSuggestion; readonly reply: null };
  /** 409 for a run that has ended. */
  readonly cancel: { readonly payload: CancelRun; readonly reply: null };
  /** The reminder: its time is over. */
  readonly expire: { readonly payload: unknown; readonly reply: null };
  /** Takes up what a crash, or a move to another node, has left: whenever the run is loaded, and every few seconds while it is live. */
  readonly resume: { readonly payload: unknown; readonly reply: null };
};
