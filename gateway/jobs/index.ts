/** Jobs that a node does for the whole cluster: lost wake-ups, maintenance, automatic assignment, words for searches, threads without a valid assignee. */
export { startAssigner } from './assigner.ts';
export { startMaintenance } from './maintenance.ts';
export { findPages, type Pages, RecoveryScanner } from './recovery-scanner.ts';
export { startSearchFollower } from './search-follower.ts';
export { unassign } from './unassign.ts';
