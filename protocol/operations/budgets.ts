/** [+] What agent runs may cost: looked at before a model is asked. */
import type { Operation } from '../operation.ts';
import { Budgets, BudgetsQuery, SetBudgetsBody } from '../resources/budget.ts';
import { absent, access, always, checked, forbidden, reading, signedIn, verified } from './rules.ts';

const tag = 'Usage';

export const budgetOperations = {
  getBudgets: {
    method: 'GET',
    path: '/usage/budgets',
    tag,
    summary: 'Read the budgets of an environment',
    auth: 'project',
    access: access.readUsage,
    query: BudgetsQuery,
    success: { status: 200, body: Budgets },
    errors: [...reading],
    rate: 'read',
    idempotency: 'none',
  },
  setBudgets: {
    method: 'PUT',
    path: '/usage/budgets',
    tag,
    summary: 'Set the budgets of an environment: per run, per thread, and per day',
    description:
      'A run that finds one of them used up fails with `budget_exceeded`, and its thread falls to the mode of `onExceeded`. The costs of a day may be a second old. Only a step whose price is known counts: a model that is not in the price list, or that does not say how many tokens it has used, has `costMicros: null` in the trace of its runs and adds nothing: such a model never uses a budget up, whatever it costs. A budget of zero stops every run; the `modelAllowlist` of a key keeps such models out.',
    auth: 'project',
    access: access.writeBudgets,
    body: SetBudgetsBody,
    success: { status: 200, body: Budgets },
    errors: [...always, ...checked, ...signedIn, ...forbidden, ...verified, ...absent],
    rate: 'write',
    idempotency: 'none',
  },
} as const satisfies Record<string, Operation>;
