/** What time brings: partitions are made and dropped, graces end, personal data is erased, and what has outlived its use is removed. */
export { ensurePartitions } from './partitions.ts';
export { sweep, SweepFailed } from './sweep.ts';
