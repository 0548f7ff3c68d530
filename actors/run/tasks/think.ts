/** The task `think`: one step of a run, from the look at its budgets to the model's answer. */
import type { TaskContext } from '../../../runtime/actor.ts';
import type { Patience } from '../../patience.ts';
import type { Thought } from '../commands.ts';
import type { StepOrder, ThinkTask } from '../orders.ts';
import { defect, type Failed, type ModelOutcome } from '../outcome.ts';
import type { Plan, RunServices } from '../services.ts';
import { Deltas } from './deltas.ts';
import { Pace } from './pace.ts';
import { Places } from './places.ts';
import type { Reporter } from './report.ts';
import type { UnderWay } from './under-way.ts';

/** Steps that this node makes at once, half of them of one environment at most. */
const mostAtOnce = 1_024;
/** Those that wait for a place; of one that does not, the run asks again in a few seconds. */
const mostWaiting = 1_024;

interface Begun {
  readonly plan: Plan | Failed;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** The same by the monotonic clock. */
  readonly from: number;
}

export class Thinker {
  readonly #services: RunServices;
  readonly #underWay: UnderWay;
  readonly #reporter: Reporter;
  readonly #patience: Patience;
  readonly #places = new Places(mostAtOnce, mostWaiting);
  readonly #beginnings: Pace;
  readonly #answers: Pace;
  #draining = false;

  constructor(services: RunServices, underWay: UnderWay, reporter: Reporter, patience: Patience) {
    this.#services = services;
    this.#underWay = underWay;
    this.#reporter = reporter;
    this.#patience = patience;
    this.#beginnings = new Pace(services.clock);
    this.#answers = new Pace(services.clock);
  }

  /** From now on no step is begun: the node that comes next begins it. Answers that are here are taken at once. */
  drain(): void {
    this.#draining = true;
    this.#answers.open();
  }

  readonly think = async ({ environmentId, order }: ThinkTask, context: TaskContext): Promise<void> => {
    const { id } = context.self;
    await this.#underWay.at(id, order === null ? 'start' : stepName(order), signal =>
      this.#places.within(environmentId, signal, async () => {
        if (this.#draining) return;
        if (order !== null) {
          await this.#step(order, signal, context);
          return;
        }
        const first = (await this.#patience.until(
          'a run could not be started',
          () => context.ask(context.self, 'start', {}),
          () => signal.aborted,
        )) as StepOrder | null;
        if (first === null || signal.aborted) return;
        await this.#underWay.at(id, stepName(first), started => this.#step(first, started, context));
      }),
    );
  };

  async #step(order: StepOrder, signal: AbortSignal, context: TaskContext): Promise<void> {
    const { clock } = this.#services;
    const { step, environmentId } = order;
    const begun = await this.#beginnings.within(environmentId, signal, () => this.#begin(order, signal));
    if (begun === undefined) return;
    const { plan, startedAt, from } = begun;
    const outcome = 'failure' in plan ? plan : await this.#answer(plan, order, signal);
    // Stopped: the run has ended, or the node does, and the step is asked again elsewhere.
    if (signal.aborted) return;
    const made = { step, startedAt, durationMs: Math.round(clock.monotonic() - from) };
    const thought: Thought = 'failure' in outcome ? { ...made, ...outcome } : { ...made, answer: outcome };
    const instead: Thought = { ...made, failure: defect };
    await this.#answers.within(environmentId, signal, () =>
      this.#reporter.tell(context, 'thought', thought, instead),
    );
  }

  /** Looks at the budgets and plans the step. Undefined where the node drains. Rejects where the signal is aborted. */
  async #begin(order: StepOrder, signal: AbortSignal): Promise<Begun | undefined> {
    if (this.#draining) return undefined;
    const { budgets, plans, clock } = this.#services;
    const startedAt = clock.now();
    const from = clock.monotonic();
    const isOver = (): boolean => signal.aborted || clock.now() >= order.deadline;
    const plan = await this.#orDefect(order, signal, async () => {
      const exceeded = (): ReturnType<typeof budgets.exceeded> => budgets.exceeded(order);
      const budget = await this.#patience.until('budgets could not be read', exceeded, isOver);
      if (budget !== undefined) {
        const errorMessage = `The budget of ${wordsFor[budget.scope]} is used up.`;
        return { failure: { errorCode: 'budget_exceeded', errorMessage, budget } } as const;
      }
      return await this.#patience.until('a step could not be planned', () => plans.planOf(order), isOver);
    });
    return this.#draining ? undefined : { plan, startedAt, from };
  }

  async #answer(plan: Plan, order: StepOrder, signal: AbortSignal): Promise<ModelOutcome> {
    const deltas = new Deltas(this.#services, order);
    try {
      return await this.#orDefect(order, signal, () =>
        this.#services.models.answer(plan, order, signal, text => deltas.add(text)),
      );
    } finally {
      deltas.flush();
    }
  }

  async #orDefect<T>(order: StepOrder, signal: AbortSignal, work: () => Promise<T>): Promise<T | Failed> {
    try {
      return await work();
    } catch (err) {
      if (signal.aborted || this.#draining) throw err;
      const { agentRunId: id, step } = order;
      this.#services.log.error({ err, id, step }, 'a step of a run failed');
      return { failure: defect };
    }
  }
}

const wordsFor = { run: 'one run', thread: 'the thread', project_day: 'the project for today' } as const;

function stepName({ step }: StepOrder): string {
  return `step ${step}`;
}
