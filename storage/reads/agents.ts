/** Reads of agents. */
import type { Provider } from '../../protocol/resources/byok.ts';
import type { AgentMode } from '../../protocol/resources/thread.ts';
import type { Database } from '../database.ts';
import type { Place } from './place.ts';

/** Whether the environment has such an agent, not archived. */
export async function hasAgent(
  db: Pick<Database, 'query'>,
  { projectId, environmentId }: Place,
  agentId: string,
): Promise<boolean> {
  const rows = await db.query(
    `select from agents where agent_id = $1 and project_id = $2 and environment_id = $3 and archived_at is null`,
    [agentId, projectId, environmentId],
    'agents.has',
  );
  return rows.length > 0;
}

/** What an agent is when it is asked. */
export interface AgentHead {
  readonly agentId: string;
  readonly loomId: string;
  readonly loomVersionId: string;
  readonly provider: Provider;
  readonly model: string;
  /** Its own, or else that of its loom's active version, or else paused. */
  readonly mode: AgentMode;
}

const selectHead = `
  select a.agent_id as "agentId", a.loom_id as "loomId", v.loom_version_id as "loomVersionId", v.provider, v.model,
    coalesce(a.mode, v.mode, 'paused') as mode
  from agents a
  join looms l on l.loom_id = a.loom_id and l.project_id = a.project_id and l.environment_id = a.environment_id
  join loom_versions v on v.loom_version_id = l.active_version_id and v.loom_id = l.loom_id
  where a.agent_id = $1 and a.project_id = $2 and a.environment_id = $3 and a.archived_at is null and l.status = 'active'`;

/** Undefined where the environment has no such agent, or one that cannot answer: archived, without a loom, or without an active version. */
export async function findAgentHead(
  db: Pick<Database, 'query'>,
  { projectId, environmentId }: Place,
  agentId: string,
): Promise<AgentHead | undefined> {
  const [row] = await db.query<AgentHead>(selectHead, [agentId, projectId, environmentId], 'agents.head');
  return row;
}
