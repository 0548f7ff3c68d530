/**
 * Looks at what has been spent before a model is asked (see `Budgets` in services.ts). Limits, and what an environment has spent on a
 * day, are cached for a second, so that two hundred runs at once do not add up the same runs two hundred times. So a day's budget may be
 * exceeded by what its runs spend in that second, and by the steps that are in flight.
 */
import type { Clock } from '../../runtime/time/index.ts';
import { type Database, type TenantScope, TtlCache } from '../../storage/database/index.ts';
import {
  type BudgetRecord,
  findBudget,
  getDefaultBudget,
  spentOnThread,
  spentSince,
} from '../../storage/agents/index.ts';
import type { Limits } from '../../storage/writes/index.ts';
import type { StepRequest } from './task-requests.ts';
import type { Budgets } from './services.ts';
import type { BudgetScope, SpentBudget } from './trace.ts';

const dayMs = 86_400_000;
const cacheMs = 1_000;

export interface BudgetServices {
  readonly db: Pick<Database, 'query'>;
  readonly clock: Clock;
  readonly limits: Pick<Limits, 'dayMicros'>;
}

/** Of several budgets that are used up, the narrowest is reported: the run's, the thread's, the day's. */
export function createBudgets({ db, clock, limits }: BudgetServices): Budgets {
  const budgets = new TtlCache<BudgetRecord, TenantScope>({
    clock,
    maxAgeMs: cacheMs,
    absentMs: cacheMs,
    load: scope => findBudget(db, scope),
  });
  const days = new TtlCache<{ readonly micros: number }, TenantScope & { readonly from: number }>({
    clock,
    maxAgeMs: cacheMs,
    load: async ({ from, ...scope }) => ({ micros: await spentSince(db, scope, new Date(from)) }),
  });

  return {
    async exceeded(request: StepRequest): Promise<SpentBudget | undefined> {
      const { projectId, environmentId, threadId, agentRunId, costMicros } = request;
      const tenant = { projectId, environmentId };
      const budget = await budgets.get(environmentId, tenant);
      const { perRunMicros, perThreadMicros, perProjectDayMicros, fallsTo } =
        budget ?? getDefaultBudget(limits);
      const isDefault = budget === undefined ? ({ isDefault: true } as const) : {};
      const check = (scope: BudgetScope, limitMicros: number, spentMicros: number): SpentBudget | undefined =>
        spentMicros < limitMicros ? undefined : { scope, limitMicros, spentMicros, fallsTo, ...isDefault };

      let spent = perRunMicros === null ? undefined : check('run', perRunMicros, costMicros);
      if (spent === undefined && perThreadMicros !== null && threadId !== null) {
        const others = await spentOnThread(db, tenant, threadId, agentRunId);
        spent = check('thread', perThreadMicros, others + costMicros);
      }
      if (spent === undefined && perProjectDayMicros !== null) {
        const from = Math.floor(clock.now() / dayMs) * dayMs;
        const day = await days.get(`${environmentId} ${from}`, { ...tenant, from });
        spent = check('project_day', perProjectDayMicros, day?.micros ?? 0);
      }
      return spent;
    },
  };
}

const budgetNames = { run: 'one run', thread: 'the thread', project_day: 'the project for today' } as const;

/** For the owner of the project. */
export function describeSpentBudget({ scope, isDefault, limitMicros }: SpentBudget): string {
  const used = `The budget of ${budgetNames[scope]} is used up.`;
  if (isDefault !== true) return used;
  return `${used} No budget was set, so the default of $${limitMicros / 1_000_000} a day applies. Set budgets to change it.`;
}
