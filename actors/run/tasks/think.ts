/** The task `think`: one step of a run, from the look at its budgets to the model's answer. */
import type { TaskContext } from '../../../runtime/actor.ts';
import type { Patience } from '../../patience.ts';
import type { ModelAnswer, RunFailure, Thought } from '../commands.ts';
import type { StepOrder, ThinkTask } from '../orders.ts';
import type { RunServices } from '../services.ts';
import { Deltas } from './deltas.ts';
import { Pace } from './pace.ts';
import { Places } from './places.ts';
import type { Reporter } from './report.ts';
import type { UnderWay } from './under-way.ts';

/** Steps that this node makes at once, half of them of one environment at most. */
const mostAtOnce = 1_024;
/** Those that wait for a place; of one that does not, the run asks again in a few seconds. */
const mostWaiting = 1_024;

/**
 * Between two steps that are begun for one environment, and between two answers that are taken. 200 models that answer in one moment
 * would else have both processors for half a second, and the messages of everybody else would wait.
 */
export const paceMs = 2;

type Outcome = ModelAnswer | { readonly failure: RunFailure };

const defect: RunFailure = {
  errorCode: 'internal_error',
  errorMessage: 'The step has failed by our own fault.',
};

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
    this.#beginnings = new Pace(services.clock, paceMs);
    this.#answers = new Pace(services.clock, paceMs);
  }

  /** From now on no step is begun: the node that comes next begins it. */
  drain(): void {
    this.#draining = true;
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
        if (first === null) return;
        await this.#underWay.at(id, stepName(first), started => this.#step(first, started, context));
      }),
    );
  };

  async #step(order: StepOrder, signal: AbortSignal, context: TaskContext): Promise<void> {
    const { clock } = this.#services;
    const { environmentId } = order;
    await this.#beginnings.turn(environmentId, signal);
    if (this.#draining) return;
    const startedAt = clock.now();
    const begun = clock.monotonic();
    const outcome = await this.#outcome(order, signal);
    // Stopped: the run has ended, or the node does, and the step is asked again elsewhere.
    if (signal.aborted) return;
    const durationMs = Math.round(clock.monotonic() - begun);
    const step = { step: order.step, startedAt, durationMs };
    const thought: Thought = 'failure' in outcome ? { ...step, ...outcome } : { ...step, answer: outcome };
    if (!this.#draining) await this.#answers.turn(environmentId, signal);
    await this.#reporter.tell(context, 'thought', thought, { ...step, failure: defect });
  }

  /** Rejects where the signal is aborted. */
  async #outcome(order: StepOrder, signal: AbortSignal): Promise<Outcome> {
    const { budgets, plans, models, clock, log } = this.#services;
    const isOver = (): boolean => signal.aborted || clock.now() >= order.deadline;
    const deltas = new Deltas(this.#services, order);
    try {
      const budget = await this.#patience.until(
        'budgets could not be read',
        () => budgets.exceeded(order),
        isOver,
      );
      if (budget !== undefined) {
        const errorMessage = `The budget of ${wordsFor[budget.scope]} is used up.`;
        return { failure: { errorCode: 'budget_exceeded', errorMessage, budget } };
      }
      const plan = await this.#patience.until(
        'a step could not be planned',
        () => plans.planOf(order),
        isOver,
      );
      if ('failure' in plan) return plan;
      return await models.answer(plan, order, signal, text => deltas.add(text));
    } catch (err) {
      if (signal.aborted || this.#draining) throw err;
      log.error({ err, id: order.agentRunId, step: order.step }, 'a step of a run failed');
      return { failure: defect };
    } finally {
      deltas.flush();
    }
  }
}

const wordsFor = { run: 'one run', thread: 'the thread', project_day: 'the project for today' } as const;

function stepName({ step }: StepOrder): string {
  return `step ${step}`;
}
