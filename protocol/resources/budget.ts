/** Budgets: what the agent runs of an environment may cost. */
import Type from 'typebox';
import type { Static } from 'typebox';
import { body, choice, id, instant, nullable, optional, resource } from './fields.ts';
import { scope } from './list.ts';

/** The mode that a thread changes to when its run exceeds a budget. */
export const budgetFalls = ['suggest', 'paused'] as const;
export type BudgetFall = (typeof budgetFalls)[number];

/** Millionths of a US dollar. Null means no limit, zero means nothing. */
const micros = () => nullable(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }));

/** In an environment whose budgets were never set, only `perProjectDayMicros` has a limit: the service's default. */
export const Budgets = resource('Budgets', {
  projectId: id('project'),
  environmentId: id('environment'),
  perRunMicros: micros(),
  /** All runs of one thread, without a time limit. */
  perThreadMicros: micros(),
  /** All runs of the environment that began on one UTC day. */
  perProjectDayMicros: micros(),
  onExceeded: choice(budgetFalls),
  /** Null when they were never set. */
  updatedAt: nullable(instant()),
  today: resource('BudgetDay', {
    /** Of UTC. */
    day: Type.String({ format: 'date' }),
    /** By the runs that began on it, as far as their price is known. */
    spentMicros: Type.Integer({ minimum: 0 }),
    /** Of `perProjectDayMicros`; null: no limit. */
    leftMicros: nullable(Type.Integer({ minimum: 0 })),
    /** Runs that began on it and failed because a budget was used up. */
    exceededRuns: Type.Integer({ minimum: 0 }),
  }),
});
export type Budgets = Static<typeof Budgets>;

/** Replaces all three: an absent one has no limit. */
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
