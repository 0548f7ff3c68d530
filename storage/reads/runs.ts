/** Reads of agent runs. Each names the project and the environment. */
import type { AgentMode, RunStatus } from '../../protocol/resources/index.ts';
import { createFindTenant, type Database, type Queries, type TenantScope } from '../database/index.ts';
import {
  buildScanStatement,
  readScanPage,
  ScanConditions,
  type PageRows,
  type ScanRow,
  type ScanStatement,
} from '../paging/index.ts';

export const findRunTenant = createFindTenant('agent_runs', 'agent_run_id');

/** Undefined where the environment has no such run, or does not have it yet. */
export async function findRunStatus(
  db: Queries,
  { projectId, environmentId }: TenantScope,
  agentRunId: string,
): Promise<RunStatus | undefined> {
  const [row] = await db.query<{ status: RunStatus }>(
    `select status from agent_runs where agent_run_id = $1 and project_id = $2 and environment_id = $3`,
    [agentRunId, projectId, environmentId],
    'runs.status',
  );
  return row?.status;
}

/** Whether the run has given its answer to its thread and has not committed the outcome yet. */
export async function isRunAnswering(
  db: Queries,
  { projectId, environmentId }: TenantScope,
  agentRunId: string,
): Promise<boolean> {
  const [row] = await db.query<{ isAnswering: boolean | null }>(
    `select state->>'phase' = 'answering' as "isAnswering" from agent_runs
     where agent_run_id = $1 and project_id = $2 and environment_id = $3`,
    [agentRunId, projectId, environmentId],
    'runs.answering',
  );
  return row?.isAnswering ?? false;
}

/** What says, beside the mode of its agent, whether a run may act. */
export interface RunModes {
  /** The mode of its thread. Null: the thread has none of its own, or there is no thread. */
  readonly threadMode: AgentMode | null;
  /** The run was asked for while its agent was paused. */
  readonly evenPaused: boolean;
}

/** Of a run that the environment does not have: nothing. */
export async function findRunModes(
  db: Queries,
  { projectId, environmentId }: TenantScope,
  agentRunId: string,
): Promise<RunModes> {
  const [row] = await db.query<RunModes>(
    `select t.agent_mode as "threadMode", coalesce((r.state->>'evenPaused')::boolean, false) as "evenPaused"
     from agent_runs r left join threads t on t.thread_id = r.thread_id and t.project_id = r.project_id
       and t.environment_id = r.environment_id
     where r.agent_run_id = $1 and r.project_id = $2 and r.environment_id = $3`,
    [agentRunId, projectId, environmentId],
    'runs.modes',
  );
  return row ?? { threadMode: null, evenPaused: false };
}

/** A run as its snapshot's row in JSON, which the actor's code decodes; without its private state. */
export interface RunRecord {
  readonly agentRunId: string;
  readonly createdAt: Date;
  readonly row: unknown;
}

const selectRecord = (trace: string): string =>
  `r.agent_run_id as "agentRunId", r.created_at as "createdAt",
   (to_jsonb(r) - 'state' - 'trace') || jsonb_build_object('trace', ${trace}) as row`;

const selectRun = `
  select ${selectRecord('r.trace')} from agent_runs r
  where r.agent_run_id = $1 and r.project_id = $2 and r.environment_id = $3`;

/** With its whole trace; undefined where the environment has no such run. */
export async function findRun(
  db: Queries,
  { projectId, environmentId }: TenantScope,
  agentRunId: string,
): Promise<RunRecord | undefined> {
  const values = [agentRunId, projectId, environmentId];
  const [row] = await db.query<RunRecord>(selectRun, values, 'runs.find');
  return row;
}

export interface RunFilter extends TenantScope {
  readonly threadId?: string | undefined;
  readonly agentId?: string | undefined;
  readonly status?: RunStatus | undefined;
  /** Those whose suggestion waits. */
  readonly suggestion?: 'pending' | undefined;
  /** Where the previous page ended: the creation of its last run, in epoch milliseconds, and the id. */
  readonly after?: { readonly at: number; readonly agentRunId: string } | undefined;
  readonly limit: number;
}

/** A row of a page. */
export type ListedRun = RunRecord & ScanRow;

/** The statement of a page. */
export function runStatement(filter: RunFilter): ScanStatement {
  const { projectId, environmentId, threadId, agentId, status, suggestion, after, limit } = filter;
  const conditions = new ScanConditions(
    [projectId, environmentId],
    ['r.project_id = $1', 'r.environment_id = $2'],
  );
  const hasAgent = (id: string): string => `r.agent_id = ${id}`;
  const isOfThread = (id: string): string => `r.thread_id = ${id}`;
  // Few suggestions wait at a time: their index comes first.
  if (suggestion === 'pending') {
    conditions.range.push(`r.suggestion_status = 'pending'`);
    conditions.filter(isOfThread, threadId);
  } else conditions.inRange(isOfThread, threadId);
  if (threadId === undefined && suggestion === undefined) conditions.inRange(hasAgent, agentId);
  else conditions.filter(hasAgent, agentId);
  conditions.filter(given => `r.status = ${given}`, status);
  if (after !== undefined) {
    conditions.beyond(['r.created_at', 'r.agent_run_id'], [new Date(after.at), after.agentRunId]);
  }
  const { values, range, filters } = conditions;
  const text = buildScanStatement({
    table: 'agent_runs',
    as: 'r',
    columns: selectRecord(`r.trace - 'steps'`),
    by: ['created_at', 'agent_run_id'],
    key: ['agent_run_id'],
    range,
    filters,
    limit,
  });
  return { text, values, isScan: suggestion !== undefined || filters.length > 0 };
}

/** A page of one environment's runs, newest first; without the steps of their traces, which may be megabytes. */
export function runPage(
  db: Pick<Database, 'query' | 'scan'>,
  filter: RunFilter,
): Promise<PageRows<ListedRun>> {
  return readScanPage(db, filter.projectId, runStatement(filter), filter.limit);
}

/** A call of a tool that a run has made, by its trace. */
export interface RecordedCallKey extends TenantScope {
  readonly threadId: string;
  readonly toolId: string;
  /** JSON; the order of its names does not matter. */
  readonly input: unknown;
}

// The traces of so many runs are looked through: each may have megabytes.
const selectRecordedCall = `
  select newest.agent_run_id as "agentRunId", made.call -> 'result' as result, made.call ->> 'error' as error
  from (
    select r.agent_run_id, r.created_at, r.trace from agent_runs r
    where r.project_id = $1 and r.environment_id = $2 and r.thread_id = $3
    order by r.created_at desc, r.agent_run_id desc limit 50
  ) as newest
  cross join lateral jsonb_path_query(newest.trace, '$.steps[*].toolCalls[*]') with ordinality as made(call, n)
  where made.call ->> 'toolId' = $4 and made.call -> 'arguments' = $5::jsonb
    and made.call ->> 'status' in ('succeeded', 'failed') and (made.call ->> 'attempts')::int > 0
  order by newest.created_at desc, newest.agent_run_id desc, made.n desc limit 1`;

/** The newest such call that was made, and answered, in the thread's newest runs; undefined: there is none. */
export async function findRecordedCall(
  db: Queries,
  { projectId, environmentId, threadId, toolId, input }: RecordedCallKey,
): Promise<
  { readonly agentRunId: string; readonly result: unknown; readonly error: string | null } | undefined
> {
  const values = [projectId, environmentId, threadId, toolId, JSON.stringify(input ?? null)];
  const [row] = await db.query<{ agentRunId: string; result: unknown; error: string | null }>(
    selectRecordedCall,
    values,
    'runs.recorded-call',
  );
  return row;
}
