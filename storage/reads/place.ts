import type { Database } from '../database.ts';

/** Where a resource belongs: what every read of a tenant's data is narrowed by. */
export interface Place {
  readonly projectId: string;
  readonly environmentId: string;
}

/** How a call by an id alone finds out whose the resource is, before anything is shown. Undefined where there is none. */
export type PlaceOf = (db: Pick<Database, 'query'>, id: string) => Promise<Place | undefined>;
