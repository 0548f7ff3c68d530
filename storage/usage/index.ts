/** Usage per day, counted from the event log and from the attempts of stitches, and the report of it. */
export { rollUpDeliveries } from './count-deliveries.ts';
export { countUsage, hasUncounted } from './count-usage.ts';
export { usagePage, type UsageRecord } from './usage-report.ts';
