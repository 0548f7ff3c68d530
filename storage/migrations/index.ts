/** The schema's migrations, in their order, and running those that a database does not have yet. */
export {
  compareSchema,
  listMigrations,
  type NamedMigration,
  runMigrations,
  type SchemaDifference,
} from './run.ts';
