/**
 * The trace of a run, as `AgentRun.trace` shows it: what was done, step by step, for whoever wants to know why. It never holds
 * a secret: headers of tools and keys of models are not in it, and what a tool's answer repeats of them is blotted out.
 */
export interface RunTrace {
  readonly steps: readonly TracedStep[];
  /** In suggest mode, or when a human was faster: what waits for an operator, and what became of it. */
  readonly suggestion?: Suggestion;
  /** The model has asked for a human. */
  readonly handoff?: { readonly reason: string };
  /** The budget that stopped the run. */
  readonly budget?: SpentBudget;
}

/** One answer of the model. */
export interface TracedStep {
  /** 1, 2, 3 ... */
  readonly step: number;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly durationMs: number;
  /** Characters of everything that was sent. */
  readonly promptCharacters: number;
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  readonly costMicros: number | null;
  /** As the model library names it: stop, length, tool-calls, content-filter, other. */
  readonly finishReason: string;
  readonly output: string;
  readonly toolCalls: readonly TracedCall[];
}

/** What became of a tool call. `interrupted`: its node died while it was out, and what it did is not known. */
export type CallStatus = 'pending' | 'succeeded' | 'failed' | 'interrupted';

/** One tool call. */
export interface TracedCall {
  /** The stable name of the call, and its `Idempotency-Key`: `<agentRunId>.<step>.<n>`. */
  readonly callId: string;
  /** How the model calls it. */
  readonly name: string;
  /** Null: no tool of that name, or a built-in one. */
  readonly toolId: string | null;
  /** As the model wrote them, parsed where they are JSON. */
  readonly arguments: unknown;
  readonly status: CallStatus;
  /** Attempts that were begun. */
  readonly attempts: number;
  /** ISO 8601: when the last attempt was begun. */
  readonly startedAt: string;
  readonly durationMs: number | null;
  readonly httpStatus: number | null;
  /** What the model was told. */
  readonly result: unknown;
  /** In words, where it failed. */
  readonly error: string | null;
}

export type SuggestionStatus = 'pending' | 'approved' | 'edited' | 'discarded' | 'superseded' | 'expired';

/** `AgentRun.trace.suggestion` (decisions, section 4). */
export interface Suggestion {
  readonly status: SuggestionStatus;
  readonly body: string;
  /** The thread's sequence that the run answered. */
  readonly basedOnSequence: number;
  /** Why an automatic answer became a suggestion; absent in suggest mode. */
  readonly reason?: 'human_active' | 'mode_changed' | 'too_long' | 'not_sendable';
  /** ISO 8601. */
  readonly createdAt: string;
  readonly resolvedAt?: string;
  readonly resolvedByUserId?: string | null;
  /** The text that was sent, where it was edited. */
  readonly sentBody?: string;
  /** The message that was sent. */
  readonly messageId?: string;
}

/**
 * What became of a suggestion that was pending. The thread that decides it does not hold the text: the rest of the suggestion is
 * the run's, and stays as it was.
 */
export type Settlement = Required<Pick<Suggestion, 'resolvedAt' | 'resolvedByUserId'>> &
  Pick<Suggestion, 'sentBody' | 'messageId'> & { readonly status: Exclude<SuggestionStatus, 'pending'> };

export type BudgetScope = 'run' | 'thread' | 'project_day';

/** A budget that is used up. */
export interface SpentBudget {
  readonly scope: BudgetScope;
  readonly limitMicros: number;
  readonly spentMicros: number;
  /** The mode that its thread falls to. */
  readonly fallsTo: 'suggest' | 'paused';
}
