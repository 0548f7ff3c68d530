/** Scheduled maintenance: partitions are made and dropped, grace periods end, personal data is erased, and expired rows are removed. */
export { ensurePartitions } from './partitions.ts';
export { sweep, SweepFailed } from './sweep.ts';
