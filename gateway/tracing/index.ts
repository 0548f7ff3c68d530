/** Traces by OpenTelemetry: which are kept, and where they go (docs/operate/traces.md). Its packages are loaded where it is switched on. */
export { type SamplerName, samplers, type Sampling, toSampling } from './sampling.ts';
export type { Tracing, TracingOptions } from './open.ts';
export { startTracing } from './start.ts';
