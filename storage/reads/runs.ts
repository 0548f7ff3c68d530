/** Reads of runs. Lists name the project and the environment; `placeOfRun` alone does not: see `PlaceOf`. */
import type { RunStatus } from '../../protocol/resources/agent.ts';
import type { Database } from '../database.ts';
import type { Place } from './place.ts';
import { stretchOf, walkStatement, type Step, type Stretch } from './walk.ts';

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

/** A row of a page. */
export type ListedRun = RunRecord & Step;

/** The statement of a page, and whether it looks through rows that were not asked for. */
export function runStatement(filter: RunFilter): {
  readonly text: string;
  readonly values: unknown[];
  readonly walks: boolean;
} {
  const { projectId, environmentId, threadId, agentId, status, after, limit } = filter;
  const values: unknown[] = [projectId, environmentId];
  const within = ['r.project_id = $1', 'r.environment_id = $2'];
  const wanted: string[] = [];
  const narrow = (into: string[], column: string, value: unknown): void => {
    if (value !== undefined) into.push(`r.${column} = $${values.push(value)}`);
  };
  narrow(within, 'thread_id', threadId);
  narrow(threadId === undefined ? within : wanted, 'agent_id', agentId);
  narrow(wanted, 'status', status);
  if (after !== undefined) {
    const places = [new Date(after.at), after.agentRunId].map(value => `$${values.push(value)}`);
    within.push(`(r.created_at, r.agent_run_id) < (${places.join(', ')})`);
  }
  const text = walkStatement({
    ...{ table: 'agent_runs', as: 'r', columns: record(`r.trace - 'steps'`) },
    ...{ by: ['created_at', 'agent_run_id'], key: ['agent_run_id'], within, wanted, limit },
  });
  return { text, values, walks: wanted.length > 0 };
}

/** A page of one environment's runs, newest first; without the steps of their traces, which may be megabytes. */
export async function runPage(
  db: Pick<Database, 'query' | 'walk'>,
  filter: RunFilter,
): Promise<Stretch<ListedRun>> {
  const { text, values, walks } = runStatement(filter);
  const rows = walks
    ? await db.walk<ListedRun>(filter.projectId, text, values)
    : await db.query<ListedRun>(text, values);
  return stretchOf(rows, filter.limit);
}
