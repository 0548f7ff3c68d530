/** What agent runs may cost: checked before each request to a model. */
import type { Operation } from '../operation.ts';
import { Budgets, BudgetsQuery, SetBudgetsBody } from '../resources/index.ts';
import { absent, access, always, checked, forbidden, reading, signedIn, verified } from './rules.ts';

const tag = 'Usage';

export const budgetOperations = {
  getBudgets: {
    method: 'GET',
    path: '/usage/budgets',
    tag,
    summary: 'Read the budgets of an environment, and what is left of them today',
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
      'A run that exceeds one of them fails with `budget_exceeded`, and its thread changes to the mode in `onExceeded`. The costs of a day may be a second old. Only steps with a known price count: a model that is not in the price list, or that does not report its tokens, has `costMicros: null` in the trace of its runs and adds nothing, so it never uses up a budget. The `modelAllowlist` of a key excludes such models. A budget of zero stops every run.',
    auth: 'project',
    access: access.writeBudgets,
    body: SetBudgetsBody,
    success: { status: 200, body: Budgets },
    errors: [...always, ...checked, ...signedIn, ...forbidden, ...verified, ...absent],
    rate: 'write',
    idempotency: 'none',
  },
} as const satisfies Record<string, Operation>;
