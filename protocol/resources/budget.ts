/** [+] Budgets: what the agent runs of an environment may cost (decisions section 2). */
import Type from 'typebox';
import type { Static } from 'typebox';
import { body, choice, id, instant, nullable, optional, resource } from './fields.ts';
import { scope } from './list.ts';

/** The mode that a thread falls to when its run would go beyond. */
export const budgetFalls = ['suggest', 'paused'] as const;
export type BudgetFall = (typeof budgetFalls)[number];

/** Millionths of a US dollar. Null: no limit; zero: nothing at all. */
const micros = () => nullable(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }));

/** An environment whose budgets were never set has none: every limit is null. */
export const Budgets = resource('Budgets', {
  projectId: id('project'),
  environmentId: id('environment'),
  perRunMicros: micros(),
  /** All runs of one thread, ever. */
  perThreadMicros: micros(),
  /** All runs of the environment that began on one day of UTC. */
  perProjectDayMicros: micros(),
  onExceeded: choice(budgetFalls),
  /** Null: they were never set. */
  updatedAt: nullable(instant()),
});
export type Budgets = Static<typeof Budgets>;

/** Replaces all three: what is absent is without a limit. */
export const SetBudgetsBody = body('SetBudgetsBody', {
  projectId: id('project'),
  /** The project's sandbox when absent. */
  environmentId: optional(id('environment')),
  perRunMicros: optional(micros()),
  perThreadMicros: optional(micros()),
  perProjectDayMicros: optional(micros()),
  onExceeded: choice(budgetFalls),
});
export type SetBudgetsBody = Static<typeof SetBudgetsBody>;

export const BudgetsQuery = Type.Object(scope);
