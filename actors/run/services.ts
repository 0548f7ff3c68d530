/** What a run's tasks work with: everything that does I/O, as interfaces. */
import type { Clock, Random } from '../../runtime/time/index.ts';
import type { Log, Tracer } from '../../runtime/observability/index.ts';
import type { ByokCredential, Provider } from '../../protocol/resources/index.ts';
import type { ConversationMessage } from '../../storage/agents/index.ts';
import type { Tenancy } from '../base/index.ts';
import type { ToolOutcome, ModelAnswer, ModelUse, RunFailure } from './commands.ts';
import type { ToolCallRequest, StepRequest } from './task-requests.ts';
import type { CurrentAgent } from './thread-reports.ts';
import type { SpentBudget } from './trace.ts';

/** Why a step has no answer. */
export interface Failed {
  readonly failure: RunFailure;
}

export type ModelOutcome = ModelAnswer | Failed;

/** What a step has used, whether it has an answer or not; undefined: nothing is known of it. */
export function getUse(outcome: ModelOutcome): ModelUse | undefined {
  return 'failure' in outcome ? outcome.failure.use : outcome;
}

/** For a step that failed by a defect of ours; the log says more. */
export const internalFailure: RunFailure = {
  errorCode: 'internal_error',
  errorMessage: 'The step has failed by our own fault.',
};

/** A tool as a run may call it. */
export interface PlannedTool {
  readonly toolId: string;
  /** The name for the model, made from the tool's own: letters, digits, `_` and `-`, unique in the plan. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** The longest that one attempt may take, in milliseconds: 100 to 30,000. */
  readonly timeoutMs: number;
  /** A person has to approve each call. */
  readonly requiresApproval: boolean;
}

/** All that one model step needs, read from rows. */
export interface Plan {
  readonly provider: Provider;
  readonly model: string;
  readonly systemPrompt: string;
  readonly temperature: number | null;
  readonly maxTokens: number | null;
  readonly tools: readonly PlannedTool[];
  /** The thread's messages up to the run's sequence, oldest first, in the model library's form. Without the run's own turns. */
  readonly history: readonly unknown[];
  readonly credential: {
    readonly resource: ByokCredential;
    /** The newest first; the others are valid while their grace period lasts. */
    readonly keys: readonly string[];
  };
}

/** Makes plans. `failure`: the run cannot go on (`byok_missing`, `model_not_allowed`, `configuration`). Rejects if the database fails. */
export interface Plans {
  /** @param typed what is said after the messages of the thread, oldest first: in a trial alone */
  createPlan(request: StepRequest, typed?: readonly ConversationMessage[]): Promise<Plan | Failed>;
}

/** Asks models. Rejects only with the signal's reason. Retries and their waits end before the request's deadline. */
export interface Models {
  answer(
    plan: Plan,
    request: StepRequest,
    signal: AbortSignal,
    onDelta: (text: string) => void,
  ): Promise<ModelOutcome>;
}

/** Looks at what has been spent before a model is asked. Undefined: go on. Rejects if the database fails. */
export interface Budgets {
  exceeded(request: StepRequest): Promise<SpentBudget | undefined>;
}

/** Looks at what is decided about agents by now. Rejects if the database fails. */
export interface CurrentAgents {
  /** @param answered the run's thread, and its channel */
  findCurrent(
    scope: Tenancy,
    agentId: string,
    answered: { readonly threadId: string; readonly channelId: string | null },
  ): Promise<CurrentAgent>;
}

/** Calls tools. Rejects only with the signal's reason. */
export interface Tools {
  /**
   * Makes the call, with retries by the tool's own rule.
   *
   * @param attempt asks whether the attempt with that number may be made. It is committed when this resolves with true. With false
   *   another node has the call, and the outcome does not matter. It is not asked about the request's own attempt
   */
  call(
    request: ToolCallRequest,
    signal: AbortSignal,
    attempt: (number: number) => Promise<boolean>,
  ): Promise<ToolOutcome>;
}

/** Counts what models and tools did. `traceparent` is of the step or call; undefined where its trace is not kept. */
export interface RunCounts {
  countStep(provider: string, outcome: ModelOutcome, durationMs: number, traceparent?: string): void;
  countCall(outcome: ToolOutcome, traceparent?: string): void;
}

export interface RunServices {
  readonly plans: Plans;
  readonly models: Models;
  readonly budgets: Budgets;
  readonly agents: CurrentAgents;
  readonly tools: Tools;
  /** Shows a piece of output on the project's Console streams. It is lost if nobody watches. */
  readonly show: (event: {
    readonly projectId: string;
    readonly environmentId: string;
    readonly body: string;
  }) => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Absent: nothing is measured. */
  readonly metrics?: RunCounts;
  /** Default: nothing is traced. */
  readonly tracer?: Tracer;
}
