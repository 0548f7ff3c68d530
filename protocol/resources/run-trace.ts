/**
 * The trace of a run: what was done, step by step, and why. It never holds a secret: headers of tools and keys of models are not in it, and
 * what a tool's answer repeats of them is redacted.
 */
import Type from 'typebox';
import type { Static, TSchema, TUnsafe } from 'typebox';
import { budgetFalls } from './budget.ts';
import { choice, id, instant, nullable, optional, resource } from './fields.ts';

const count = () => Type.Integer({ minimum: 0 });
/** Runs only ever add to a list: they never change it. */
const list = <S extends TSchema>(item: S): TUnsafe<readonly Static<S>[]> =>
  Type.Unsafe<readonly Static<S>[]>(Type.Array(item));
/** Of any JSON type. */
const anything = () => Type.Unsafe<unknown>({});

/** What a person has decided about a call. */
export const ToolCallApproval = resource('ToolCallApproval', {
  /** `pending` only while the call waits. */
  status: choice(['pending', 'approved', 'refused', 'expired']),
  expiresAt: instant(),
  resolvedAt: optional(instant()),
  resolvedByUserId: optional(nullable(id('user'))),
  /** Why it was refused, in words: the model is told. */
  reason: optional(Type.String()),
});

/** `interrupted`: the node died while the call was in flight, and what it did is not known; or the run ended before the call did. */
const callStatuses = ['awaiting_approval', 'pending', 'succeeded', 'failed', 'interrupted'] as const;

export const TracedCall = resource('TracedCall', {
  /** `<agentRunId>.<step>.<n>`; also the `Idempotency-Key` of the request. */
  callId: Type.String(),
  /** The tool's name for the model. */
  name: Type.String(),
  /** Null: there is no tool of that name, or it is built in. */
  toolId: nullable(id('tool')),
  /** As the model wrote them; parsed if they are JSON. */
  arguments: anything(),
  status: choice(callStatuses),
  /** Where the tool requires a person's approval. */
  approval: optional(ToolCallApproval),
  /** Attempts that were begun. */
  attempts: count(),
  /** When the last attempt was begun. */
  startedAt: instant(),
  durationMs: nullable(count()),
  httpStatus: nullable(Type.Integer()),
  /** What the model was told. */
  result: anything(),
  /** Why the call failed, in words. */
  error: nullable(Type.String()),
});

const step = {
  /** 1, 2, 3 ... */
  step: Type.Integer({ minimum: 1 }),
  startedAt: instant(),
  durationMs: count(),
  /** The characters of everything that was sent to the model. */
  promptCharacters: count(),
  promptTokens: nullable(count()),
  completionTokens: nullable(count()),
  costMicros: nullable(count()),
  /** As the model library names it: stop, length, tool-calls, content-filter, other. */
  finishReason: Type.String(),
  output: Type.String(),
};

/** One answer of the model. */
export const TracedStep = resource('TracedStep', { ...step, toolCalls: list(TracedCall) });

/**
 * Where the result of a call in a trial is from. `recorded`: a run of the thread has made the same call. `given`: the request says it. `none`:
 * nowhere, and the model was told so. `refused`: a run would not make the call.
 */
const callStubs = ['recorded', 'given', 'none', 'refused'] as const;

/** A call that a model wanted in a trial. It was not made. */
export const TrialCall = resource('TrialCall', {
  name: Type.String(),
  toolId: nullable(id('tool')),
  arguments: anything(),
  stub: choice(callStubs),
  /** The run whose trace has the result. */
  agentRunId: optional(id('run')),
  /** In a run a person would be asked first. */
  requiresApproval: Type.Boolean(),
  result: anything(),
  error: nullable(Type.String()),
});

export const TrialStep = resource('TrialStep', { ...step, toolCalls: list(TrialCall) });

const suggestionStatuses = ['pending', 'approved', 'edited', 'discarded', 'superseded', 'expired'] as const;

const suggestion = {
  status: choice(suggestionStatuses),
  /** The thread's sequence that the run answered. */
  basedOnSequence: count(),
  /** Why an automatic answer became a suggestion; absent in suggest mode. */
  reason: optional(choice(['human_active', 'mode_changed', 'too_long', 'not_sendable', 'limit_reached'])),
  createdAt: instant(),
  resolvedAt: optional(instant()),
  resolvedByUserId: optional(nullable(id('user'))),
  /** The text that was sent, if it was edited. */
  sentBody: optional(Type.String()),
  /** Why it was discarded, in the operator's words. */
  discardReason: optional(Type.String()),
  /** The message that was sent. */
  messageId: optional(id('message')),
};

export const Suggestion = resource('Suggestion', { body: Type.String(), ...suggestion });

/** As the events say it that end a suggestion without an operator: the thread, which decides that, does not hold the text. */
export const EndedSuggestion = resource('EndedSuggestion', suggestion);

const budgetScopes = ['run', 'thread', 'project_day'] as const;

/** A budget that is used up. */
export const SpentBudget = resource('SpentBudget', {
  scope: choice(budgetScopes),
  limitMicros: count(),
  spentMicros: count(),
  /** The mode that the thread falls back to. */
  fallsTo: choice(budgetFalls),
  /** The environment's budgets were never set: the limit is the service's default. */
  isDefault: optional(Type.Literal(true)),
});

export const RunTrace = resource('RunTrace', {
  steps: list(TracedStep),
  /** In suggest mode, or where the answer could not be sent; and what became of it. */
  suggestion: optional(Suggestion),
  /** The model asked for a human. */
  handoff: optional(Type.Object({ reason: Type.String() })),
  /** The budget that stopped the run. */
  budget: optional(SpentBudget),
});

export type SuggestionStatus = (typeof suggestionStatuses)[number];
export type BudgetScope = (typeof budgetScopes)[number];
export type Approval = Readonly<Static<typeof ToolCallApproval>>;
export type TracedCall = Readonly<Static<typeof TracedCall>>;
export type TracedStep = Readonly<Static<typeof TracedStep>>;
export type TrialCall = Readonly<Static<typeof TrialCall>>;
export type TrialStep = Readonly<Static<typeof TrialStep>>;
export type Suggestion = Readonly<Static<typeof Suggestion>>;
export type SpentBudget = Readonly<Static<typeof SpentBudget>>;
export type RunTrace = Readonly<Static<typeof RunTrace>>;
