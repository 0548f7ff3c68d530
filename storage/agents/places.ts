/** Whose a resource of agents is, by its id alone: see `PlaceOf`. */
import type { Place, PlaceOf } from '../reads/place.ts';

function placeIn(table: string, column: string): PlaceOf {
  const text = `select project_id as "projectId", environment_id as "environmentId" from ${table} where ${column} = $1`;
  return async (db, id) => (await db.query<Place>(text, [id], `${table}.place`))[0];
}

export const placeOfByokCredential = placeIn('byok_credentials', 'byok_credential_id');
export const placeOfTool = placeIn('tools', 'tool_id');
export const placeOfLoom = placeIn('looms', 'loom_id');
export const placeOfAgent = placeIn('agents', 'agent_id');
