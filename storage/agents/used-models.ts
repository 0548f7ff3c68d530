/** The models that the agents of an environment are asked with. */
import type { Provider } from '../../protocol/resources/index.ts';
import type { Queries, TenantScope } from '../database/index.ts';

export interface UsedModel {
  readonly provider: Provider;
  readonly model: string;
}

/** Of the active versions of its looms, each once, by provider and name. */
export function listUsedModels(
  db: Queries,
  { projectId, environmentId }: TenantScope,
): Promise<readonly UsedModel[]> {
  return db.query<UsedModel>(
    `select distinct v.provider collate "C" as provider, v.model collate "C" as model
     from looms l join loom_versions v on v.loom_version_id = l.active_version_id and v.loom_id = l.loom_id
     where l.project_id = $1 and l.environment_id = $2 and l.archived_at is null
     order by 1, 2`,
    [projectId, environmentId],
    'looms.used_models',
  );
}
