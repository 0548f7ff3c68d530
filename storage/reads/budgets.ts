/** Reads of budgets: what an environment allows its runs, and what they have cost. */
import type { BudgetFall } from '../../protocol/resources/budget.ts';
import type { BudgetLimits } from '../agents/budgets.ts';
import type { Database } from '../database.ts';
import type { Place } from './place.ts';

type Queries = Pick<Database, 'query'>;

export interface BudgetRecord extends BudgetLimits {
  readonly fallsTo: BudgetFall;
}

/** Undefined where none were ever set. */
export async function budgetOf(
  db: Queries,
  { projectId, environmentId }: Place,
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

/** What the thread's runs have cost, all but one, in millionths of a dollar. */
export async function spentOnThread(
  db: Queries,
  { projectId, environmentId }: Place,
  threadId: string,
  otherThan: string,
): Promise<number> {
  const [row] = await db.query<Spent>(
    `select coalesce(sum(estimated_cost_micros), 0)::float8 as micros from agent_runs
     where thread_id = $1 and agent_run_id <> $2 and project_id = $3 and environment_id = $4`,
    [threadId, otherThan, projectId, environmentId],
    'budgets.thread',
  );
  return row?.micros ?? 0;
}

/** What the environment's runs have cost that began at `from` or later, in millionths of a dollar. */
export async function spentSince(
  db: Queries,
  { projectId, environmentId }: Place,
  from: Date,
): Promise<number> {
  const [row] = await db.query<Spent>(
    `select coalesce(sum(estimated_cost_micros), 0)::float8 as micros from agent_runs
     where project_id = $1 and environment_id = $2 and created_at >= $3`,
    [projectId, environmentId, from],
    'budgets.since',
  );
  return row?.micros ?? 0;
}
