/** Budgets of an environment: as they are set and shown, and as the runs are held to them. */
import type { InferEntity } from '@mikro-orm/core';
import type { BudgetFall, Budgets as BudgetsResource } from '../../protocol/resources/index.ts';
import { type AuditContext, recordAction } from '../audit/index.ts';
import type { Database, Queries, TenantScope } from '../database/index.ts';
import { Budget } from '../entities/index.ts';
import type { Limits } from '../writes/index.ts';

/** In millionths of a dollar; null: no limit. */
export interface BudgetLimits {
  readonly perRunMicros: number | null;
  readonly perThreadMicros: number | null;
  readonly perProjectDayMicros: number | null;
}

/** Returns the budget of an environment that has never set one: a limit for the day, so that a loop of agents ends. */
export function getDefaultBudget({ dayMicros }: Pick<Limits, 'dayMicros'>): BudgetRecord {
  return { perRunMicros: null, perThreadMicros: null, perProjectDayMicros: dayMicros, fallsTo: 'paused' };
}

export class BudgetSettings {
  readonly #db: Database;
  readonly #default: BudgetRecord;

  constructor(db: Database, limits: Pick<Limits, 'dayMicros'>) {
    this.#db = db;
    this.#default = getDefaultBudget(limits);
  }

  /** Returns the default where none was ever set. `now` in epoch milliseconds determines which day is today. */
  async get({ projectId, environmentId }: TenantScope, now: number): Promise<BudgetsResource> {
    const tenant = { projectId, environmentId };
    const row = await this.#db.em().findOne(Budget, tenant);
    const { fallsTo: onExceeded, ...limits } = this.#default;
    const none = { ...tenant, ...limits, onExceeded, updatedAt: null };
    return this.#withToday(row === null ? none : budgetsResource(row), now);
  }

  async #withToday(budgets: Omit<BudgetsResource, 'today'>, now: number): Promise<BudgetsResource> {
    const day = new Date(now).toISOString().slice(0, 10);
    const { projectId, environmentId, perProjectDayMicros } = budgets;
    const values = [projectId, environmentId, new Date(`${day}T00:00:00Z`)];
    const [row] = await this.#db.query<{ spentMicros: number; exceededRuns: number }>(
      selectDay,
      values,
      'budgets.day',
    );
    const { spentMicros = 0, exceededRuns = 0 } = row ?? {};
    const leftMicros = perProjectDayMicros === null ? null : Math.max(0, perProjectDayMicros - spentMicros);
    return { ...budgets, today: { day, spentMicros, leftMicros, exceededRuns } };
  }

  /** Replaces all limits. */
  async set(
    request: TenantScope & AuditContext & BudgetLimits & { readonly onExceeded: BudgetFall },
  ): Promise<BudgetsResource> {
    const { projectId, environmentId, perRunMicros, perThreadMicros, perProjectDayMicros, onExceeded, now } =
      request;
    const limits: BudgetLimits = { perRunMicros, perThreadMicros, perProjectDayMicros };
    const budgets = await this.#db.em().transactional(async em => {
      const row = await em.upsert(Budget, {
        projectId,
        environmentId,
        ...limits,
        fallsTo: onExceeded,
        updatedAt: new Date(now),
      });
      const details = { ...limits, onExceeded };
      const act = { action: 'budget.updated', targetId: environmentId, details } as const;
      await recordAction(em, request, { projectId, environmentId, ...act });
      return budgetsResource(row);
    });
    return this.#withToday(budgets, now);
  }
}

/** Of runs that were removed since, and of trials of looms: $3 is the beginning of a day of UTC. */
const spentBeside = `(select coalesce(sum(u.cost_micros), 0) from usage_runs u
  where u.project_id = $1 and u.environment_id = $2 and u.day >= ($3::timestamptz at time zone 'UTC')::date)`;

// As the runs are held to it: `spentSince`.
const selectDay = `
  select (coalesce(sum(estimated_cost_micros), 0) + ${spentBeside})::float8 as "spentMicros",
    count(*) filter (where error_code = 'budget_exceeded')::int as "exceededRuns"
  from agent_runs where project_id = $1 and environment_id = $2 and created_at >= $3`;

function budgetsResource(row: InferEntity<typeof Budget>): Omit<BudgetsResource, 'today'> {
  return {
    projectId: row.projectId,
    environmentId: row.environmentId,
    perRunMicros: row.perRunMicros ?? null,
    perThreadMicros: row.perThreadMicros ?? null,
    perProjectDayMicros: row.perProjectDayMicros ?? null,
    onExceeded: row.fallsTo,
    updatedAt: row.updatedAt.toISOString(),
  };
}

export interface BudgetRecord extends BudgetLimits {
  readonly fallsTo: BudgetFall;
}

/** Undefined where none was ever set. */
export async function findBudget(
  db: Queries,
  { projectId, environmentId }: TenantScope,
): Promise<BudgetRecord | undefined> {
  const [row] = await db.query<BudgetRecord>(
    `select per_run_micros as "perRunMicros", per_thread_micros as "perThreadMicros",
       per_project_day_micros as "perProjectDayMicros", falls_to as "fallsTo"
     from budgets where project_id = $1 and environment_id = $2`,
    [projectId, environmentId],
    'budgets.find',
  );
  return row;
}

interface Spent {
  readonly micros: number;
}

/** What the runs of the thread have cost, without one of them, in millionths of a dollar. */
export async function spentOnThread(
  db: Queries,
  { projectId, environmentId }: TenantScope,
  threadId: string,
  exceptRunId: string,
): Promise<number> {
  const [row] = await db.query<Spent>(
    `select coalesce(sum(estimated_cost_micros), 0)::float8 as micros from agent_runs
     where thread_id = $1 and agent_run_id <> $2 and project_id = $3 and environment_id = $4`,
    [threadId, exceptRunId, projectId, environmentId],
    'budgets.thread',
  );
  return row?.micros ?? 0;
}

/**
 * What the environment's runs that began at `from` or later have cost, and its trials of looms, in millionths of a dollar.
 *
 * @param from the beginning of a day of UTC
 */
export async function spentSince(
  db: Queries,
  { projectId, environmentId }: TenantScope,
  from: Date,
): Promise<number> {
  const [row] = await db.query<Spent>(
    `select (coalesce(sum(estimated_cost_micros), 0) + ${spentBeside})::float8 as micros from agent_runs
     where project_id = $1 and environment_id = $2 and created_at >= $3`,
    [projectId, environmentId, from],
    'budgets.since',
  );
  return row?.micros ?? 0;
}
