/** Reads of runs. Lists name the project and the environment; `placeOfRun` alone does not: see `PlaceOf`. */
import type { RunStatus } from '../../protocol/resources/agent.ts';
import type { Database } from '../database.ts';
import type { Place } from './place.ts';

type Queries = Pick<Database, 'query'>;

/** Whose a run is. */
export async function placeOfRun(db: Queries, agentRunId: string): Promise<Place | undefined> {
  const [row] = await db.query<Place>(
    `select project_id as "projectId", environment_id as "environmentId" from agent_runs where agent_run_id = $1`,
    [agentRunId],
    'runs.place',
  );
  return row;
}

/** Undefined where the place has no such run, or none yet. */
export async function statusOfRun(
  db: Queries,
  { projectId, environmentId }: Place,
  agentRunId: string,
): Promise<RunStatus | undefined> {
  const [row] = await db.query<{ status: RunStatus }>(
    `select status from agent_runs where agent_run_id = $1 and project_id = $2 and environment_id = $3`,
    [agentRunId, projectId, environmentId],
    'runs.status',
  );
  return row?.status;
}

/** Whether the run has given its answer to its thread, and has not written down yet what that has made of it. */
export async function isRunAnswering(
  db: Queries,
  { projectId, environmentId }: Place,
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

/** A run as its snapshot's row in JSON, which the actor's own code can read; without what is private to it. */
export interface RunRecord {
  readonly agentRunId: string;
  readonly createdAt: Date;
  readonly row: unknown;
}

const record = (trace: string): string =>
  `r.agent_run_id as "agentRunId", r.created_at as "createdAt",
   (to_jsonb(r) - 'state' - 'trace') || jsonb_build_object('trace', ${trace}) as row`;

const selectRun = `
  select ${record('r.trace')} from agent_runs r
  where r.agent_run_id = $1 and r.project_id = $2 and r.environment_id = $3`;

/** With its whole trace; undefined where the place has no such run. */
export async function findRun(
  db: Queries,
  { projectId, environmentId }: Place,
  agentRunId: string,
): Promise<RunRecord | undefined> {
  const values = [agentRunId, projectId, environmentId];
  const [row] = await db.query<RunRecord>(selectRun, values, 'runs.find');
  return row;
}

/** Which page of whose runs. */
export interface RunFilter extends Place {
  readonly threadId?: string | undefined;
  readonly agentId?: string | undefined;
  readonly status?: RunStatus | undefined;
  /** Where the page before ended: its last creation in epoch milliseconds, and id. */
  readonly after?: { readonly at: number; readonly agentRunId: string } | undefined;
  readonly limit: number;
}

/** A page of one environment's runs, newest first; without the steps of their traces, which may be megabytes. */
export function runPage(db: Queries, filter: RunFilter): Promise<RunRecord[]> {
  const values: unknown[] = [filter.projectId, filter.environmentId];
  let where = 'r.project_id = $1 and r.environment_id = $2';
  const narrow = (condition: string, value: unknown): void => {
    if (value !== undefined) where += ` and ${condition} = $${values.push(value)}`;
  };
  narrow('r.thread_id', filter.threadId);
  narrow('r.agent_id', filter.agentId);
  narrow('r.status', filter.status);
  if (filter.after !== undefined) {
    const { at, agentRunId } = filter.after;
    const places = [new Date(at), agentRunId].map(value => `$${values.push(value)}`);
    where += ` and (r.created_at, r.agent_run_id) < (${places.join(', ')})`;
  }
  return db.query<RunRecord>(
    `select ${record(`r.trace - 'steps'`)} from agent_runs r
     where ${where} order by r.created_at desc, r.agent_run_id desc limit $${values.push(filter.limit)}`,
    values,
  );
}
