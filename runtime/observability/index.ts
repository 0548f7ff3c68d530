/**
 * What a node tells of itself: the `Log`, which is an interface that pino fulfils, and the `Metrics`, whose counters are plain fields on
 * the hot path and become Prometheus metrics when they are scraped.
 */
export { BucketHistogram, HistogramBuckets } from './histogram.ts';
export { type Log, silentLog } from './log.ts';
export { type ClusterGauges, type Counters, type KindCounters, Metrics, type NodeGauges } from './metrics.ts';
