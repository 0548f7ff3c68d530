/** The task `modelStep`: one step of a run, from the look at its budgets to the model's answer. */
import type { TaskContext } from '../../../runtime/actor/index.ts';
import { formatEvent } from '../../../protocol/events.ts';
import { newId } from '../../../protocol/ids.ts';
import { noTracer, type Attributes, type Span } from '../../../runtime/observability/index.ts';
import type { Timer } from '../../../runtime/time/index.ts';
import type { RetryPolicy } from '../../base/index.ts';
import { describeSpentBudget } from '../budgets.ts';
import { runCommand, type RunFailure, type StepCompleted } from '../commands.ts';
import type { StepRequest, ModelStepTask } from '../task-requests.ts';
import {
  getUse,
  internalFailure,
  type Failed,
  type ModelOutcome,
  type Plan,
  type RunServices,
} from '../services.ts';
import { Throttle } from './throttle.ts';
import { FairSemaphore } from '../../../runtime/admission/index.ts';
import type { Reporter } from './reporter.ts';
import type { InFlight } from './in-flight.ts';

/** Steps that this node makes at once. One environment gets half of them at most. */
const maxConcurrent = 1_024;
/** Steps that wait for their turn. If there is no room for a step, its run asks again in a few seconds. */
const maxWaiting = 1_024;

/** A step that was planned. */
interface PlannedStep {
  readonly plan: Plan | Failed;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** The same by the monotonic clock. */
  readonly from: number;
}

export class ModelStep {
  readonly #services: RunServices;
  readonly #inFlight: InFlight;
  readonly #reporter: Reporter;
  readonly #retryPolicy: RetryPolicy;
  readonly #semaphore = new FairSemaphore(maxConcurrent, maxWaiting);
  /** Spread the processor time of planning steps, and of committing their answers. */
  readonly #planThrottle: Throttle;
  readonly #answerThrottle: Throttle;
  #draining = false;

  constructor(services: RunServices, inFlight: InFlight, reporter: Reporter, retryPolicy: RetryPolicy) {
    this.#services = services;
    this.#inFlight = inFlight;
    this.#reporter = reporter;
    this.#retryPolicy = retryPolicy;
    this.#planThrottle = new Throttle(services.clock);
    this.#answerThrottle = new Throttle(services.clock);
  }

  /** From now on no step is begun: the next node of the run begins it. Answers that have arrived are committed at once. */
  drain(): void {
    this.#draining = true;
    this.#answerThrottle.open();
  }

  readonly run = async ({ environmentId, request }: ModelStepTask, context: TaskContext): Promise<void> => {
    const { id } = context.self;
    await this.#inFlight.run(id, request === null ? 'start' : toName(request), signal =>
      this.#semaphore.runOrSkip(environmentId, signal, async () => {
        if (this.#draining) return;
        if (request !== null) {
          await this.#makeStep(request, signal, context);
          return;
        }
        const first = await this.#start(signal, context);
        if (first === null || signal.aborted) return;
        await this.#inFlight.run(id, toName(first), stepSignal => this.#makeStep(first, stepSignal, context));
      }),
    );
  };

  /** Begins the run, and its trace. Null: it has ended before. */
  async #start(signal: AbortSignal, context: TaskContext): Promise<StepRequest | null> {
    const { tracer = noTracer } = this.#services;
    const { self } = context;
    const span = tracer.startRun('run', self.id, { attributes: { 'skein.run.id': self.id } });
    try {
      const first = (await this.#retryPolicy.retry(
        'a run could not be started',
        () => context.ask(self, 'start', {}),
        () => signal.aborted,
      )) as StepRequest | null;
      if (first !== null) span?.set(toAttributes(first));
      return first;
    } finally {
      span?.end();
    }
  }

  async #makeStep(request: StepRequest, signal: AbortSignal, context: TaskContext): Promise<void> {
    const { clock } = this.#services;
    const { step, environmentId } = request;
    const planned = await this.#planThrottle.run(environmentId, signal, () => this.#plan(request, signal));
    if (planned === undefined) return;
    const { plan, startedAt, from } = planned;
    const outcome = 'failure' in plan ? plan : await this.#askMeasured(plan, request, signal);
    // Stopped: the run has ended; or the node ends, and the step is asked again elsewhere.
    if (signal.aborted) return;
    const common = { step, startedAt, durationMs: Math.round(clock.monotonic() - from) };
    const completed: StepCompleted =
      'failure' in outcome ? { ...common, ...outcome } : { ...common, answer: outcome };
    const fallback: StepCompleted = { ...common, failure: internalFailure };
    await this.#answerThrottle.run(environmentId, signal, () =>
      this.#reporter.report(context, runCommand.stepCompleted, completed, fallback),
    );
  }

  /** Looks at the budgets and plans the step. Undefined if the node drains. Rejects if the signal is aborted. */
  async #plan(request: StepRequest, signal: AbortSignal): Promise<PlannedStep | undefined> {
    if (this.#draining) return undefined;
    const { plans, clock } = this.#services;
    const startedAt = clock.now();
    const from = clock.monotonic();
    const isOver = (): boolean => signal.aborted || clock.now() >= request.deadline;
    const plan = await this.#orInternalFailure(request, signal, async () => {
      const exceeded = await this.#retryPolicy.retry(
        'budgets could not be read',
        () => this.#findExceeded(request),
        isOver,
      );
      if (exceeded !== undefined) return { failure: exceeded };
      return await this.#retryPolicy.retry(
        'a step could not be planned',
        () => plans.createPlan(request),
        isOver,
      );
    });
    return this.#draining ? undefined : { plan, startedAt, from };
  }

  /** Why no budget allows the step. Undefined: go on. Rejects if the database fails. */
  async #findExceeded(request: StepRequest): Promise<RunFailure | undefined> {
    const { budgets, agents } = this.#services;
    const budget = await budgets.exceeded(request);
    if (budget === undefined) return undefined;
    const failure = {
      errorCode: 'budget_exceeded',
      errorMessage: describeSpentBudget(budget),
      budget,
    } as const;
    const { threadId, channelId, head } = request;
    if (threadId === null) return failure;
    const { mode } = await agents.findCurrent(request, head.agentId, { threadId, channelId });
    return { ...failure, agentMode: mode ?? 'paused' };
  }

  async #askMeasured(plan: Plan, request: StepRequest, signal: AbortSignal): Promise<ModelOutcome> {
    const { clock, metrics } = this.#services;
    const from = clock.monotonic();
    const span = this.#startSpan(plan, request);
    const outcome = await this.#askInTrace(plan, request, signal, span);
    if (!signal.aborted)
      metrics?.countStep(plan.provider, outcome, clock.monotonic() - from, span?.traceparent);
    return outcome;
  }

  /** Undefined where the run's trace is not kept. */
  #startSpan(plan: Plan, request: StepRequest): Span | undefined {
    const { tracer = noTracer } = this.#services;
    const { agentRunId, step } = request;
    const parent = tracer.runParent(agentRunId);
    if (parent === undefined) return undefined;
    return tracer.start('model step', parent, {
      kind: 'client',
      attributes: {
        ...toAttributes(request),
        'skein.run.step': step,
        'gen_ai.provider.name': plan.provider,
        'gen_ai.request.model': plan.model,
      },
    });
  }

  #askInTrace(
    plan: Plan,
    request: StepRequest,
    signal: AbortSignal,
    span: Span | undefined,
  ): Promise<ModelOutcome> {
    if (span === undefined) return this.#ask(plan, request, signal);
    let outcome: ModelOutcome | undefined;
    return this.#ask(plan, { ...request, traceparent: span.traceparent }, signal)
      .then(given => (outcome = given))
      .finally(() => endStep(span, outcome));
  }

  async #ask(plan: Plan, request: StepRequest, signal: AbortSignal): Promise<ModelOutcome> {
    const deltas = new OutputDeltas(this.#services, request);
    try {
      const outcome = await this.#orInternalFailure(request, signal, () =>
        this.#services.models.answer(plan, request, signal, text => deltas.add(text)),
      );
      if (!('failure' in outcome) && outcome.calls.length > 0) deltas.end();
      return outcome;
    } finally {
      deltas.flush();
    }
  }

  async #orInternalFailure<T>(
    request: StepRequest,
    signal: AbortSignal,
    work: () => Promise<T>,
  ): Promise<T | Failed> {
    try {
      return await work();
    } catch (err) {
      if (signal.aborted || this.#draining) throw err;
      const { agentRunId: id, step } = request;
      this.#services.log.error({ err, id, step }, 'a step of a run failed');
      return { failure: internalFailure };
    }
  }
}

function toAttributes({ agentRunId, projectId, threadId }: StepRequest): Attributes {
  return {
    'skein.run.id': agentRunId,
    'skein.project.id': projectId,
    'skein.thread.id': threadId ?? undefined,
  };
}

/** @param outcome undefined: the step was stopped */
function endStep(span: Span, outcome: ModelOutcome | undefined): void {
  if (outcome === undefined) return span.end('stopped');
  const use = getUse(outcome);
  span.set({
    'gen_ai.usage.input_tokens': use?.promptTokens ?? undefined,
    'gen_ai.usage.output_tokens': use?.completionTokens ?? undefined,
    'skein.cost_micros': use?.costMicros ?? undefined,
  });
  if ('failure' in outcome) return span.end(outcome.failure.errorCode);
  span.set({
    'gen_ai.response.finish_reason': outcome.finishReason,
    'skein.tool_calls': outcome.calls.length,
  });
  span.end();
}

function toName({ step }: StepRequest): string {
  return `step ${step}`;
}

/** A piece of output is shown when it is this old, or this long. */
const gatherMs = 50;
const gatherCharacters = 200;
/** The most that is shown of one step. The rest appears when the step is completed. */
const maxShownCharacters = 65_536;

/** Shows the text of one step on the project's Console streams, piece by piece, while the model writes it. None of it is stored. */
class OutputDeltas {
  readonly #services: Pick<RunServices, 'show' | 'clock'>;
  readonly #request: StepRequest;
  #text = '';
  #shown = 0;
  #timer: Timer | undefined;

  constructor(services: Pick<RunServices, 'show' | 'clock'>, request: StepRequest) {
    this.#services = services;
    this.#request = request;
  }

  add(text: string): void {
    this.#text += text.slice(0, Math.max(0, maxShownCharacters - this.#shown - this.#text.length));
    if (this.#text === '') return;
    if (this.#text.length >= gatherCharacters) this.flush();
    else this.#timer ??= this.#services.clock.after(gatherMs, () => this.flush());
  }

  /** Shows what has been gathered, and that no more comes. */
  end(): void {
    this.flush();
    if (this.#shown > 0) this.#show('');
  }

  /** Shows what has been gathered. */
  flush(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (this.#text === '') return;
    this.#show(this.#text);
    this.#shown += this.#text.length;
    this.#text = '';
  }

  #show(delta: string): void {
    const { clock, show } = this.#services;
    const { projectId, environmentId, threadId, channelId, agentRunId, head, step } = this.#request;
    const now = clock.now();
    const data = JSON.stringify({
      environmentId,
      ...(threadId === null ? {} : { threadId }),
      ...(channelId === null ? {} : { channelId }),
      actor: { type: 'agent', id: head.agentId },
      agentRunId,
      delta,
      step,
      offset: this.#shown,
    });
    const body = formatEvent({
      eventId: newId('event', now),
      eventName: 'agent.output.delta',
      occurredAt: new Date(now).toISOString(),
      projectId,
      data,
    });
    show({ projectId, environmentId, body });
  }
}
