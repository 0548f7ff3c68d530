/** The tenant of a resource. */
import type { Queries } from './database.ts';

/** Where a resource belongs. Every read of a tenant's data names both, so that what lies outside reads as absent. */
export interface TenantScope {
  readonly projectId: string;
  readonly environmentId: string;
}

/**
 * Finds the tenant of a resource by its id alone; undefined where there is none. A call that names only an id needs it to check whether
 * the caller may see the resource.
 */
export type FindTenant = (db: Queries, id: string) => Promise<TenantScope | undefined>;

/** For a table whose rows name their project and environment. */
export function createFindTenant(table: string, idColumn: string): FindTenant {
  const text = `select project_id as "projectId", environment_id as "environmentId" from ${table} where ${idColumn} = $1`;
  return async (db, id) => (await db.query<TenantScope>(text, [id], `${table}.tenant`))[0];
}
