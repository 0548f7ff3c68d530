/**
 * What a thread is asked and told about its agent (decisions, section 5). The thread decides whether a run is made, and what
 * becomes of its answer; a run never sends anything by itself.
 */
import type { AgentMode } from '../../protocol/resources/thread.ts';
import type { Actor } from '../../protocol/resources/message.ts';
import type { AgentHead } from '../../storage/reads/agents.ts';
import type { BeginRun } from '../run/commands.ts';
import type { SpentBudget, Suggestion } from '../run/trace.ts';
import type { Metadata, Tenancy } from '../tenancy.ts';

/**
 * Makes a run. The mode is the thread's, or else the agent's; where that is paused, a message makes no run (the reply says so),
 * and a request makes one in suggest mode. One run of a thread is live: while there is, a request is refused (409 with
 * `details.agentRunId`), and messages wait.
 */
export interface OpenRun extends Tenancy {
  readonly trigger: 'message' | 'request';
  readonly head: AgentHead;
  /** Absent: the newest inbound message that the thread knows of. */
  readonly inputMessageId?: string;
  /** The live run, which its asker has found to be pending: it is cancelled in favour of this one. */
  readonly supersedes?: string;
  readonly metadata: Metadata;
  readonly author: Actor;
}

/** The run's answer, told durably by the run; told twice, it is decided once. */
export interface TakeAnswer extends Tenancy {
  readonly agentRunId: string;
  /** Empty: nothing is to be sent (only a hand-off). */
  readonly body: string;
  /** The mode that the run was begun in. */
  readonly mode: AgentMode;
  readonly handoff?: { readonly reason: string };
}

/** The run has ended without an answer; told durably by the run. */
export interface RunOver extends Tenancy {
  readonly agentRunId: string;
  /** It was stopped by a budget: the thread falls to its mode. */
  readonly budget?: SpentBudget;
}

/**
 * An operator's word on a suggestion. 409 `svc/agent_runs/suggestion_already_resolved` where none of that run is pending;
 * 409 `svc/runtime/conflict` where anything has happened on the thread since `expectedSequence` but the suggestion itself;
 * 409 `svc/chatapp/template_required` with the window closed, which leaves it pending.
 */
export interface ResolveSuggestion extends Tenancy {
  readonly agentRunId: string;
  readonly action: 'approve' | 'discard';
  /** The text as the model wrote it, and as the operator wants it sent. */
  readonly body: string;
  readonly editedBody?: string;
  readonly expectedSequence?: number;
  readonly author: Actor;
}

/** A run that the thread has opened. The thread tells it `begin` durably; whoever waits for it may say so too. */
export interface OpenedRun {
  readonly agentRunId: string;
  readonly begin: BeginRun;
}

export type ThreadAgentCommands = {
  /** The reminder: messages have waited long enough for an agent. Its task reads what the agent is, and asks `openRun`. */
  readonly callAgent: { readonly payload: Readonly<Record<string, never>>; readonly reply: null };
  /** Null: none was made, because no run is wanted any more, or not yet. */
  readonly openRun: { readonly payload: OpenRun; readonly reply: OpenedRun | null };
  /** There is no agent that could answer: messages wait for none any more. */
  readonly dropCall: { readonly payload: Tenancy; readonly reply: null };
  /** Decides what becomes of a run's answer, and durably tells the run `judged`. */
  readonly takeAnswer: { readonly payload: TakeAnswer; readonly reply: null };
  readonly runOver: { readonly payload: RunOver; readonly reply: null };
  /** Durably tells the run `settleSuggestion` what the reply is. */
  readonly resolveSuggestion: { readonly payload: ResolveSuggestion; readonly reply: Suggestion };
  /** An operator types: holds automatic answers back for a while. Forgotten with the activation. */
  readonly noteTyping: { readonly payload: Tenancy; readonly reply: null };
};
