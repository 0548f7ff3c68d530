/** What a run's tasks work with: everything impure, behind interfaces that say what they promise. */
import type { Clock, Random } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log.ts';
import type { ByokCredential, Provider } from '../../protocol/resources/byok.ts';
import type { CallOutcome } from './commands.ts';
import type { CallOrder, StepOrder } from './orders.ts';
import type { Failed, ModelOutcome } from './outcome.ts';
import type { SpentBudget } from './trace.ts';

/** A tool as a run may call it. */
export interface PlannedTool {
  readonly toolId: string;
  /** Made of the tool's name for the model: letters, digits, `_` and `-`, unique in the plan. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** The longest that one attempt may take, in milliseconds: 100 to 30,000. */
  readonly timeoutMs: number;
}

/** All that one model step is made of, read from rows. */
export interface Plan {
  readonly provider: Provider;
  readonly model: string;
  readonly systemPrompt: string;
  readonly temperature: number | null;
  readonly maxTokens: number | null;
  readonly tools: readonly PlannedTool[];
  /** The thread's messages up to the run's sequence, oldest first, in the model library's form; without the run's own turns. */
  readonly history: readonly unknown[];
  readonly credential: {
    readonly resource: ByokCredential;
    /** The newest first; the others are good while their grace lasts. */
    readonly keys: readonly string[];
  };
}

/** Reads plans. `failure`: the run cannot go on (`byok_missing`, `model_not_allowed`, `configuration`). Rejects where the database fails. */
export interface Plans {
  planOf(order: StepOrder): Promise<Plan | Failed>;
}

/** Asks models. Never rejects but with the signal's reason; retries and their waiting are within the order's deadline. */
export interface Models {
  answer(
    plan: Plan,
    order: StepOrder,
    signal: AbortSignal,
    onDelta: (text: string) => void,
  ): Promise<ModelOutcome>;
}

/** Looks at what is spent before a model is asked; undefined: go on. Rejects where the database fails. */
export interface Budgets {
  exceeded(order: StepOrder): Promise<SpentBudget | undefined>;
}

/** Calls tools. Never rejects but with the signal's reason. */
export interface Tools {
  /**
   * Makes the call by the tool's own retry rule.
   *
   * @param attempt asks whether the attempt of that number may be made; it is committed when this resolves with true. With
   *   false the call is somebody else's, and the outcome is not looked at. It is not asked for the order's own attempt
   */
  call(
    order: CallOrder,
    signal: AbortSignal,
    attempt: (number: number) => Promise<boolean>,
  ): Promise<CallOutcome>;
}

export interface RunServices {
  readonly plans: Plans;
  readonly models: Models;
  readonly budgets: Budgets;
  readonly tools: Tools;
  /** Shows a piece of output on the project's Console streams: lost when nobody looks. */
  readonly show: (glimpse: {
    readonly projectId: string;
    readonly environmentId: string;
    readonly body: string;
  }) => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}
