/** [+] Budgets over REST. */
import type { budgetOperations } from '../../../protocol/operations/budgets.ts';
import type { BudgetSettings } from '../../../storage/agents/budgets.ts';
import type { Handlers } from '../handler.ts';
import { deedOf } from './author.ts';
import { placeOfCall } from './place.ts';

export function budgetHandlers(settings: BudgetSettings): Handlers<typeof budgetOperations> {
  return {
    getBudgets: async call => ({ body: await settings.get(placeOfCall(call)) }),

    setBudgets: async call => {
      const { projectId, environmentId } = placeOfCall(call);
      const {
        perRunMicros = null,
        perThreadMicros = null,
        perProjectDayMicros = null,
        onExceeded,
      } = call.body;
      const limits = { perRunMicros, perThreadMicros, perProjectDayMicros, onExceeded };
      return { body: await settings.set({ projectId, environmentId, ...limits, ...deedOf(call) }) };
    },
  };
}
