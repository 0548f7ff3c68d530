/**
 * OpenTelemetry's SDK and its exporter, as far as a node uses them. They are loaded here, by name, and only on a node that traces: the start
 * of all others does not pay for them, and neither do the tools that follow imports.
 */
import type { Tracer as ApiTracer } from '@opentelemetry/api';

/** Gives the ids of the next spans. */
export interface IdGenerator {
  generateTraceId(): string;
  generateSpanId(): string;
}

interface TracerProvider {
  getTracer(name: string, version?: string): ApiTracer;
  shutdown(): Promise<void>;
}

interface Sdk {
  readonly TracerProvider: new (options: {
    readonly resource: object;
    readonly sampler: object;
    readonly idGenerator: IdGenerator;
    readonly spanProcessors: readonly object[];
  }) => TracerProvider;
  readonly AlwaysOnSampler: new () => object;
  readonly RandomIdGenerator: new () => IdGenerator;
  readonly BatchSpanProcessor: new (options: {
    readonly exporter: object;
    readonly maxQueueSize: number;
    readonly maxExportBatchSize: number;
    readonly scheduledDelayMillis: number;
  }) => object;
}

interface Resources {
  readonly resourceFromAttributes: (attributes: Readonly<Record<string, string>>) => object;
}

interface Exporters {
  readonly OTLPTraceExporter: new (options: {
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
  }) => object;
}

export interface Otel extends Sdk, Resources, Exporters {}

const packages = [
  '@opentelemetry/sdk-trace',
  '@opentelemetry/resources',
  '@opentelemetry/exporter-trace-otlp-proto',
];

/** Loads the packages, which takes some 50 ms. */
export async function loadOtel(): Promise<Otel> {
  const loaded = await Promise.all(packages.map(name => import(name) as Promise<object>));
  return Object.assign({}, ...loaded) as Otel;
}
