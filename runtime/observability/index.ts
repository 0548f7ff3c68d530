/**
 * What a node tells of itself: the `Log`, which is an interface that pino fulfils; the `Metrics`, whose counters are plain fields on
 * the hot path and become Prometheus metrics when they are scraped; and the `Tracer`, which opens spans where a trace is kept.
 */
export { CountsBy } from './counts.ts';
export { BucketHistogram, type Exemplar, HistogramBuckets, HistogramBucketsBy } from './histogram.ts';
export { type Log, silentLog } from './log.ts';
export { type ClusterGauges, type Counters, type KindCounters, Metrics, type NodeGauges } from './metrics.ts';
export {
  type Attributes,
  formatTraceparent,
  noTracer,
  parseTraceparent,
  runTraceparent,
  type Span,
  type SpanKind,
  type SpanOptions,
  type TraceContext,
  type Tracer,
} from './tracer.ts';
