/**
 * What operators of the whole service see of its database: ids, names and numbers of all tenants, and never what they have written. It is
 * the one place whose reads are not narrowed by a tenant and are shown to somebody; each looks at a bounded number of rows.
 */
export {
  countDeadLetters,
  type DeadLetterRow,
  deleteDeadLetter,
  findDeadCommand,
  type GivenUp,
  listDeadLetters,
  readGivenUp,
  runDeadLetter,
} from './given-up.ts';
export { type DatabaseState, readDatabaseState, readOldestSnapshot } from './database-state.ts';
export { findStitchPlaces, type StitchPlace } from './stitch-places.ts';
