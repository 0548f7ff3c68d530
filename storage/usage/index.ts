/** Usage per day, counted from the event log, and the report of it. */
export { countUsage, hasUncounted } from './count-usage.ts';
export { usagePage, type UsageRecord } from './usage-report.ts';
