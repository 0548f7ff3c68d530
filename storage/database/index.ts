/**
 * The connections to PostgreSQL. `Database` offers the ORM's unit of work for plain resources, `query` for reads with bound
 * parameters, and `scan` for lists that look through an index, on connections of their own. Beside it: which errors are transient,
 * the tenant that every read is narrowed by, answers held in memory for a moment (`TtlCache`), and the database's time as a clock
 * (`DatabaseClock`).
 */
export { DatabaseClock, selectNow } from './database-clock.ts';
export { type Database, executeBound, openDatabase, type Queries } from './database.ts';
export {
  fenceState,
  isBlocked,
  isInterrupted,
  isOutOfResources,
  isReadOnly,
  isTransient,
  violatesConstraint,
} from './errors.ts';
export { createFindTenant, type FindTenant, type TenantScope } from './tenant-scope.ts';
export { Timeline, TimelineChanged } from './timeline.ts';
export { TtlCache } from './ttl-cache.ts';
