/**
 * The scope of a call that names a resource by its id alone. A key is bound to its environment, a service has named one, and
 * the actor or statement that is asked next refuses what lies elsewhere. A user's rights depend on whose the resource is.
 */
import { notFound, ServiceError } from '../../protocol/errors.ts';
import type { Database, FindTenant } from '../../storage/database/index.ts';
import type { Call, ProjectScope } from '../pipeline/index.ts';

/** Rejects with 404 where what a user names is not there or not theirs; for keys and services that is still to be checked. */
export async function resolveScope(
  call: Pick<Call, 'caller' | 'project' | 'authoriseScope'>,
  db: Pick<Database, 'query'>,
  findTenant: FindTenant,
  id: string,
): Promise<ProjectScope> {
  if (call.caller?.type !== 'user' && call.project !== undefined) return call.project;
  const tenant = await findTenant(db, id);
  if (tenant === undefined) throw notFound();
  return call.authoriseScope(tenant.projectId, tenant.environmentId);
}

/** What a field of the body names is asked: where it is not there, the 404 says which field that was. */
export async function askNamed<T>(field: string, asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'svc/runtime/not_found') throw notFound(field);
    throw error;
  }
}

/** The scope of a call that names its project: for lists and creations. */
export function requireScope({ project }: Pick<Call, 'project'>): ProjectScope {
  if (project === undefined) throw notFound();
  return project;
}
