/** Usage per day, counted from the event log, from the attempts of stitches and from trials of looms, and the report of it. */
export { rollUpDeliveries } from './count-deliveries.ts';
export { addTrialUsage, type TrialUsage } from './count-trials.ts';
export { countUsage, hasUncounted } from './count-usage.ts';
export { usagePage, type UsageRecord } from './usage-report.ts';
export { addStoredBytes, readStoredBytes, storedDays, type StoredBytes } from './stored-bytes.ts';
