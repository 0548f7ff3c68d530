/**
 * Trials of loom versions: a model answers as in a run, planned from the same rows and asked through the same worker, but nothing comes of it.
 * There is no run and no event, nothing is written to a thread, and no tool is called: a call gets what was recorded of the same call in a run
 * of the thread, or else what the caller gives, or else is told that nothing was called.
 *
 *   (new)    -> thinking   there is room for one more
 *   thinking -> stubbing   the model wants tools
 *   stubbing -> thinking   every call of the step has its result
 *   thinking -> over       an answer, a failure, or a limit: steps, time, tokens, a budget
 *
 * A trial lives in the memory of its node, and is lost with it. What it has cost is committed after each step, failed ones too, before the next
 * question: that money is spent, whatever becomes of the trial.
 */
import { isDeepStrictEqual } from 'node:util';
import { unavailable } from '../../runtime/actor/index.ts';
import { FairSemaphore } from '../../runtime/admission/index.ts';
import type { Clock } from '../../runtime/time/index.ts';
import type { LoomTrial, Provider, TrialCall, TrialStep } from '../../protocol/resources/index.ts';
import type { ConversationMessage } from '../../storage/agents/index.ts';
import type { Tenancy } from '../base/index.ts';
import { describeSpentBudget } from './budgets.ts';
import {
  addUse,
  type ModelAnswer,
  type ModelUse,
  noUse,
  type RequestedCall,
  type RunFailure,
  sumTokens,
} from './commands.ts';
import { createToolResults } from './decide-tools.ts';
import { type Budgets, getUse, type Models, type Plans, type RunCounts } from './services.ts';
import { maxCalls, maxResultCharacters, maxRunTokens } from './state.ts';
import type { StepRequest } from './task-requests.ts';

/** Trials that this node makes at once; one environment gets half of them at most. */
const maxConcurrent = 64;
/** Model steps of one trial. */
export const maxTrialSteps = 8;

/** The result that the caller gives to calls of a tool. */
export interface GivenResult {
  readonly toolId: string;
  /** Of calls with these arguments. Absent: of all calls. */
  readonly arguments?: unknown;
  readonly result?: unknown;
  /** The call fails, in words. */
  readonly error?: string;
}

export interface TrialOrder extends Tenancy {
  readonly loomId: string;
  readonly loomVersionId: string;
  readonly version: number;
  readonly provider: Provider;
  readonly model: string;
  /** The thread whose messages come first, and whose runs are looked through for calls. */
  readonly threadId: string | null;
  /** Its messages up to this one count. */
  readonly throughSequence: number;
  /** What is said after them, oldest first. */
  readonly messages: readonly ConversationMessage[];
  readonly given: readonly GivenResult[];
  /** Milliseconds. */
  readonly timeoutMs: number;
}

/** A call of a run of the thread, as its trace has it. */
export interface RecordedCall {
  readonly agentRunId: string;
  readonly result: unknown;
  readonly error: string | null;
}

/** What a step of a trial has used. */
export interface TrialUse extends Tenancy {
  readonly provider: Provider;
  readonly model: string;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly costMicros: number;
  /** Epoch milliseconds. */
  readonly at: number;
}

export interface TrialServices {
  readonly plans: Plans;
  readonly models: Models;
  readonly budgets: Budgets;
  /** The newest call of the tool with these arguments that was made for the thread. Rejects if the database fails. */
  readonly findRecordedCall: (
    key: Tenancy & { readonly threadId: string; readonly toolId: string; readonly input: unknown },
  ) => Promise<RecordedCall | undefined>;
  /** Commits what was spent. Rejects if the database fails. */
  readonly recordUse: (use: TrialUse) => Promise<void>;
  readonly clock: Clock;
  readonly metrics?: Pick<RunCounts, 'countStep'>;
}

export interface Trials {
  /** 503 where there is no room, and where the node ends. Rejects if the database fails. */
  run(order: TrialOrder): Promise<LoomTrial>;
  /** Ends those under way, and begins no more. */
  stop(): void;
}

export function createTrials(services: TrialServices): Trials {
  const semaphore = new FairSemaphore(maxConcurrent, 0);
  const stopped = new AbortController();
  return {
    async run(order) {
      const { environmentId } = order;
      if (stopped.signal.aborted) throw unavailable('draining');
      if (!semaphore.tryTake(environmentId)) throw unavailable('overloaded');
      try {
        return await new Trial(services, order, stopped.signal).run();
      } catch (error) {
        throw stopped.signal.aborted ? unavailable('draining') : error;
      } finally {
        semaphore.release(environmentId);
      }
    },
    stop: () => stopped.abort(new Error('the node ends')),
  };
}

/** What a step has led to: the trial is over, or goes on. */
type Ending = { readonly answer: ModelAnswer } | { readonly failure: RunFailure };

class Trial {
  readonly #services: TrialServices;
  readonly #order: TrialOrder;
  readonly #signal: AbortSignal;
  readonly #startedAt: number;
  readonly #from: number;
  readonly #steps: TrialStep[] = [];
  #turns: readonly unknown[] = [];
  /** Of all answers, those that are none included. */
  #used = noUse;
  #resultCharacters = 0;

  constructor(services: TrialServices, order: TrialOrder, signal: AbortSignal) {
    this.#services = services;
    this.#order = order;
    this.#signal = signal;
    this.#startedAt = services.clock.now();
    this.#from = services.clock.monotonic();
  }

  async run(): Promise<LoomTrial> {
    for (;;) {
      const ending = await this.#makeStep();
      if (ending !== undefined) return this.#toResource(ending);
    }
  }

  async #makeStep(): Promise<Ending | undefined> {
    const { plans, models, budgets, clock, metrics } = this.#services;
    const request = this.#createRequest();
    // The thread has spent nothing of this: its own budget is not asked.
    const budget = await budgets.exceeded({ ...request, threadId: null });
    if (budget !== undefined) {
      return { failure: { errorCode: 'budget_exceeded', errorMessage: describeSpentBudget(budget), budget } };
    }
    const startedAt = clock.now();
    if (startedAt >= request.deadline) {
      return { failure: { errorCode: 'timeout', errorMessage: "The trial's time is over." } };
    }
    const from = clock.monotonic();
    const plan = await plans.createPlan(request, this.#order.messages);
    if ('failure' in plan) return plan;
    const outcome = await models.answer(plan, request, this.#signal, () => undefined);
    const durationMs = Math.round(clock.monotonic() - from);
    metrics?.countStep(plan.provider, outcome, durationMs);
    const use = getUse(outcome);
    if (use !== undefined) await this.#take(use, plan.model);
    if ('failure' in outcome) return outcome;
    const toolCalls = await this.#settleCalls(outcome);
    this.#steps.push(toStep(outcome, this.#steps.length + 1, { startedAt, durationMs, toolCalls }));
    return this.#findEnding(outcome, toolCalls);
  }

  #createRequest(): StepRequest {
    const { projectId, environmentId, loomId, loomVersionId, provider, model, threadId } = this.#order;
    return {
      projectId,
      environmentId,
      agentRunId: `trial of ${loomVersionId}`,
      threadId,
      channelId: null,
      head: { agentId: '', loomId, loomVersionId, provider, model, mode: 'suggest' },
      basedOnSequence: this.#order.throughSequence,
      step: this.#steps.length + 1,
      turns: this.#turns,
      costMicros: this.#used.costMicros ?? 0,
      deadline: this.#startedAt + this.#order.timeoutMs,
    };
  }

  /** Adds up what the step has used, and commits it. */
  async #take(use: ModelUse, model: string): Promise<void> {
    this.#used = addUse(this.#used, use);
    const { promptTokens, completionTokens, costMicros } = use;
    const { projectId, environmentId, provider } = this.#order;
    await this.#services.recordUse({
      projectId,
      environmentId,
      provider,
      model,
      promptTokens: promptTokens ?? 0,
      completionTokens: completionTokens ?? 0,
      costMicros: costMicros ?? 0,
      at: this.#services.clock.now(),
    });
  }

  #findEnding(answer: ModelAnswer, toolCalls: readonly TrialCall[]): Ending | undefined {
    if (answer.calls.length === 0) {
      if (answer.text.trim() !== '' || answer.handoff !== undefined) return { answer };
      return { failure: { errorCode: 'empty_answer', errorMessage: 'The model has answered with nothing.' } };
    }
    if (this.#steps.length >= maxTrialSteps) {
      const errorMessage = `The model wanted more than ${maxTrialSteps} steps.`;
      return { failure: { errorCode: 'step_limit', errorMessage } };
    }
    if ((sumTokens(this.#used) ?? 0) >= maxRunTokens) {
      const errorMessage = `The trial has used up its ${maxRunTokens} tokens.`;
      return { failure: { errorCode: 'token_limit', errorMessage } };
    }
    const calls = toolCalls.map(({ name, result, error }, i) => ({
      callId: answer.calls[i]?.providerCallId ?? '',
      name,
      status: error === null ? ('succeeded' as const) : ('failed' as const),
      result,
      error,
    }));
    const open = answer.calls.map(({ providerCallId }) => ({ providerCallId }));
    this.#turns = [...this.#turns, ...answer.messages, createToolResults(calls, open)];
    return undefined;
  }

  async #settleCalls({ calls }: ModelAnswer): Promise<TrialCall[]> {
    const settled: TrialCall[] = [];
    for (const [index, call] of calls.entries()) {
      settled.push(this.#limit(await this.#settle(call, index)));
    }
    return settled;
  }

  async #settle(call: RequestedCall, index: number): Promise<TrialCall> {
    const { name, toolId, arguments: input, requiresApproval = false } = call;
    const common = { name, toolId, arguments: input, requiresApproval };
    const refusal =
      call.refusal ?? (index < maxCalls ? undefined : `not made: ${maxCalls} calls are the most`);
    if (refusal !== undefined || toolId === null) {
      const error = refusal ?? 'there is no such tool';
      return { ...common, stub: 'refused', result: null, error };
    }
    const { projectId, environmentId, threadId, given } = this.#order;
    const { findRecordedCall } = this.#services;
    if (threadId !== null) {
      const recorded = await findRecordedCall({ projectId, environmentId, threadId, toolId, input });
      if (recorded !== undefined) {
        const { agentRunId, result, error } = recorded;
        return { ...common, stub: 'recorded', agentRunId, result, error };
      }
    }
    const stub = given.find(each => each.toolId === toolId && fits(each, input));
    if (stub !== undefined) {
      return { ...common, stub: 'given', result: stub.result ?? null, error: stub.error ?? null };
    }
    return { ...common, stub: 'none', result: notCalled, error: null };
  }

  /** What the model is told of all calls has an end, as in a run. */
  #limit(call: TrialCall): TrialCall {
    const characters = this.#resultCharacters + JSON.stringify(call.result ?? null).length;
    if (characters > maxResultCharacters) {
      return { ...call, result: null, error: 'the results of this trial have become too long' };
    }
    this.#resultCharacters = characters;
    return call;
  }

  #toResource(ending: Ending): LoomTrial {
    const { projectId, environmentId, loomId, loomVersionId, version, threadId, provider, model } =
      this.#order;
    const { promptTokens, completionTokens, costMicros } = this.#used;
    const failure = 'failure' in ending ? ending.failure : undefined;
    const handoff = 'answer' in ending ? ending.answer.handoff : undefined;
    return {
      projectId,
      environmentId,
      loomId,
      loomVersionId,
      version,
      threadId,
      provider,
      model,
      status: failure === undefined ? 'succeeded' : 'failed',
      text: 'answer' in ending ? ending.answer.text : null,
      ...(handoff === undefined ? {} : { handoff }),
      steps: this.#steps,
      promptTokens,
      completionTokens,
      totalTokens: sumTokens(this.#used),
      estimatedCostMicros: costMicros,
      errorCode: failure?.errorCode ?? null,
      errorMessage: failure?.errorMessage ?? null,
      startedAt: new Date(this.#startedAt).toISOString(),
      durationMs: Math.round(this.#services.clock.monotonic() - this.#from),
    };
  }
}

/** What the model is told of a call that nobody has a result for. */
const notCalled = {
  notCalled: 'This is a trial: the tool was not called, and nothing is known of what it would have answered.',
};

function fits(given: GivenResult, input: unknown): boolean {
  return given.arguments === undefined || isDeepStrictEqual(given.arguments, input);
}

function toStep(
  answer: ModelAnswer,
  step: number,
  made: {
    readonly startedAt: number;
    readonly durationMs: number;
    readonly toolCalls: readonly TrialCall[];
  },
): TrialStep {
  return {
    step,
    startedAt: new Date(made.startedAt).toISOString(),
    durationMs: made.durationMs,
    promptCharacters: answer.promptCharacters,
    promptTokens: answer.promptTokens,
    completionTokens: answer.completionTokens,
    costMicros: answer.costMicros,
    finishReason: answer.finishReason,
    output: answer.text,
    toolCalls: made.toolCalls,
  };
}
