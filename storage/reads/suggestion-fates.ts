/** What became of the suggestions of an agent, counted by the version that made them, from an index alone. */
import type { SuggestionFates } from '../../protocol/resources/index.ts';
import type { Queries, TenantScope } from '../database/index.ts';

export interface FatesKey extends TenantScope {
  readonly agentId: string;
  /** Of runs that began then or later. */
  readonly since: Date;
}

const fates = ['pending', 'approved', 'edited', 'discarded', 'superseded', 'expired'] as const;

/** The newest: agents have fewer. */
const maxVersions = 100;

export const selectFates = `
  select f.loom_version_id as "loomVersionId", v.loom_id as "loomId", v.version, ${fates.map(fate => `f.${fate}`).join(', ')}
  from (
    select r.loom_version_id, ${fates.map(fate => `count(*) filter (where r.suggestion_status = '${fate}')::int as ${fate}`).join(', ')}
    from agent_runs r
    where r.project_id = $1 and r.environment_id = $2 and r.agent_id = $3 and r.created_at >= $4 and r.suggestion_status is not null
    group by r.loom_version_id
  ) f
  join loom_versions v on v.loom_version_id = f.loom_version_id and v.project_id = $1 and v.environment_id = $2
  order by f.loom_version_id desc limit ${maxVersions}`;

/** The newest version first; empty where the environment has no such agent. */
export function listSuggestionFates(
  db: Queries,
  { projectId, environmentId, agentId, since }: FatesKey,
): Promise<SuggestionFates[]> {
  return db.query<SuggestionFates>(selectFates, [projectId, environmentId, agentId, since], 'runs.fates');
}
