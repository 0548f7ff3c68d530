import type { EnvironmentKind } from '../../protocol/resources/environment.ts';
import type { Database } from '../database.ts';

/** Whose an environment is, and of which kind. */
export interface EnvironmentHead {
  readonly projectId: string;
  readonly kind: EnvironmentKind;
}

/** An environment's head by its id alone; undefined where there is none. Whose it is, is for the caller to check. */
export async function headOfEnvironment(
  db: Pick<Database, 'query'>,
  environmentId: string,
): Promise<EnvironmentHead | undefined> {
  const [row] = await db.query<EnvironmentHead>(
    'select project_id as "projectId", kind from environments where environment_id = $1',
    [environmentId],
    'environments.head',
  );
  return row;
}
