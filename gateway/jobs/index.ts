/** Jobs that a node does for the whole cluster: lost wake-ups, maintenance, threads without a valid assignee. */
export { startMaintenance } from './maintenance.ts';
export { RecoveryScanner } from './recovery-scanner.ts';
export { unassign } from './unassign.ts';
