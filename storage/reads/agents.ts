/** Reads of agents. */
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
