/** Full text of messages and the names of participants: kept after the event log, and searched. */
export { followEvents, isNamed } from './follow.ts';
export { type FoundThread, searchThreads, type ThreadSearch } from './find.ts';
