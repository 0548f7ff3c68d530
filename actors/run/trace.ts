/**
 * The trace of a run, as `AgentRun.trace` shows it: what was done, step by step, and why. It never holds a secret: headers of tools and
 * keys of models are not in it, and what a tool's answer repeats of them is redacted.
 */
export interface RunTrace {
  readonly steps: readonly TracedStep[];
  /** The suggestion, in suggest mode or where the answer could not be sent, and what became of it. */
  readonly suggestion?: Suggestion;
  /** The model asked for a human. */
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
  /** The characters of everything that was sent to the model. */
  readonly promptCharacters: number;
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  readonly costMicros: number | null;
  /** As the model library names it: stop, length, tool-calls, content-filter, other. */
  readonly finishReason: string;
  readonly output: string;
  readonly toolCalls: readonly TracedCall[];
}

/** `interrupted`: the node died while the call was in flight, and what it did is not known; or the run ended before the call did. */
export type CallStatus = 'awaiting_approval' | 'pending' | 'succeeded' | 'failed' | 'interrupted';

/** What a person has decided about a call. */
export interface Approval {
  /** `pending` only while the call waits. */
  readonly status: 'pending' | 'approved' | 'refused' | 'expired';
  /** ISO 8601, both. */
  readonly expiresAt: string;
  readonly resolvedAt?: string;
  readonly resolvedByUserId?: string | null;
  /** Why it was refused, in words: the model is told. */
  readonly reason?: string;
}

/** One tool call. */
export interface TracedCall {
  /** `<agentRunId>.<step>.<n>`; also the `Idempotency-Key` of the request. */
  readonly callId: string;
  /** The tool's name for the model. */
  readonly name: string;
  /** Null: there is no tool of that name, or it is built in. */
  readonly toolId: string | null;
  /** As the model wrote them; parsed if they are JSON. */
  readonly arguments: unknown;
  readonly status: CallStatus;
  /** Where the tool requires a person's approval. */
  readonly approval?: Approval;
  /** Attempts that were begun. */
  readonly attempts: number;
  /** When the last attempt was begun, ISO 8601. */
  readonly startedAt: string;
  readonly durationMs: number | null;
  readonly httpStatus: number | null;
  /** What the model was told. */
  readonly result: unknown;
  /** Why the call failed, in words. */
  readonly error: string | null;
}

export type SuggestionStatus = 'pending' | 'approved' | 'edited' | 'discarded' | 'superseded' | 'expired';

/** `AgentRun.trace.suggestion`. */
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
  /** The text that was sent, if it was edited. */
  readonly sentBody?: string;
  /** The message that was sent. */
  readonly messageId?: string;
}

/**
 * What became of a pending suggestion. The thread that decides it does not hold the text: the run has the rest of the suggestion, which
 * stays as it was.
 */
export type Settlement = Required<Pick<Suggestion, 'resolvedAt' | 'resolvedByUserId'>> &
  Pick<Suggestion, 'sentBody' | 'messageId'> & { readonly status: Exclude<SuggestionStatus, 'pending'> };

export type BudgetScope = 'run' | 'thread' | 'project_day';

/** A budget that is used up. */
export interface SpentBudget {
  readonly scope: BudgetScope;
  readonly limitMicros: number;
  readonly spentMicros: number;
  /** The mode that the thread falls back to. */
  readonly fallsTo: 'suggest' | 'paused';
}
