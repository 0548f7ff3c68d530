/**
 * Looks at what is spent before a model is asked: see `Budgets`. Limits, and what an environment has spent on a day, are held for a
 * second, so that two hundred runs at once do not add up the same runs two hundred times: a day may be overdrawn by what its
 * runs spend in that second, and by the steps that were under way.
 */
import type { Clock } from '../../../runtime/clock.ts';
import type { Database } from '../../../storage/database.ts';
import { budgetOf, spentOnThread, spentSince, type BudgetRecord } from '../../../storage/reads/budgets.ts';
import type { Place } from '../../../storage/reads/place.ts';
import { LookUps } from '../../../storage/tenancy/look-ups.ts';
import type { StepOrder } from '../orders.ts';
import type { Budgets } from '../services.ts';
import type { BudgetScope, SpentBudget } from '../trace.ts';

const dayMs = 86_400_000;
const heldMs = 1_000;

export interface BudgetServices {
  readonly db: Pick<Database, 'query'>;
  readonly clock: Clock;
}

/** The narrowest budget that is used up is told: of the run, of its thread, of the day. */
export function budgetsOf({ db, clock }: BudgetServices): Budgets {
  const limits = new LookUps<BudgetRecord, Place>({
    ...{ clock, maxAgeMs: heldMs, absentMs: heldMs },
    ask: place => budgetOf(db, place),
  });
  const days = new LookUps<{ readonly micros: number }, Place & { readonly from: number }>({
    ...{ clock, maxAgeMs: heldMs },
    ask: async ({ from, ...place }) => ({ micros: await spentSince(db, place, new Date(from)) }),
  });

  return {
    async exceeded(order: StepOrder): Promise<SpentBudget | undefined> {
      const { projectId, environmentId, threadId, agentRunId, costMicros } = order;
      const place = { projectId, environmentId };
      const budget = await limits.get(environmentId, place);
      if (budget === undefined) return undefined;
      const { perRunMicros, perThreadMicros, perProjectDayMicros, fallsTo } = budget;
      const over = (scope: BudgetScope, limitMicros: number, spentMicros: number): SpentBudget | undefined =>
        spentMicros < limitMicros ? undefined : { scope, limitMicros, spentMicros, fallsTo };

      let spent = perRunMicros === null ? undefined : over('run', perRunMicros, costMicros);
      if (spent === undefined && perThreadMicros !== null && threadId !== null) {
        const others = await spentOnThread(db, place, threadId, agentRunId);
        spent = over('thread', perThreadMicros, others + costMicros);
      }
      if (spent === undefined && perProjectDayMicros !== null) {
        const from = Math.floor(clock.now() / dayMs) * dayMs;
        const day = await days.get(`${environmentId} ${from}`, { ...place, from });
        spent = over('project_day', perProjectDayMicros, day?.micros ?? 0);
      }
      return spent;
    },
  };
}
