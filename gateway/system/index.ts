/**
 * The service as its operators see it. Each node keeps the figures of its metrics for half an hour (`FigureHistory`) and reports them with
 * its gauges; `SystemReader` asks all nodes (`Reports`), adds what the register and the database know, and says what is sick (faults.ts).
 */
export { FigureHistory } from './figures.ts';
export { createReporter } from './node-report.ts';
export { Reports } from './reports.ts';
export { SystemReader } from './system.ts';
