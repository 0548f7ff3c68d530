/** The schema's migrations, in their order, and running those that a database does not have yet. */
export { listMigrations, type NamedMigration, runMigrations } from './run.ts';
