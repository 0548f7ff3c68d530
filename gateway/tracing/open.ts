/** Opens the tracer of a node that traces. */
import { diag, DiagLogLevel } from '@opentelemetry/api';
import type { Log, Tracer } from '../../runtime/observability/index.ts';
import { completesWithin, keepAliveClock } from '../../runtime/time/index.ts';
import { loadOtel } from './otel.ts';
import { OtelTracer, SpanIds } from './otel-tracer.ts';
import type { Sampling } from './sampling.ts';

export interface TracingOptions {
  /** Where spans go: OTLP in protobuf by HTTP, with its path. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly sampling: Sampling;
  /** What every span says of its node: `service.name` and others. */
  readonly resource: Readonly<Record<string, string>>;
}

export interface Tracing {
  readonly tracer: Tracer;
  /** Sends what is left, and takes no longer than two seconds. */
  close(): Promise<void>;
}

/** Spans that wait to be sent: beyond it they are dropped. */
const maxWaiting = 8_192;
const maxBatch = 512;
/** Milliseconds between two batches, where few spans come. */
const sendEveryMs = 1_000;
const closeMs = 2_000;
/** A receiver that is away is told of once in so many milliseconds. */
const complainEveryMs = 60_000;

export async function openTracer(options: TracingOptions, version: string, log: Log): Promise<Tracing> {
  const otel = await loadOtel();
  passComplaints(log);
  const ids = new SpanIds(new otel.RandomIdGenerator());
  const exporter = new otel.OTLPTraceExporter({ url: options.url, headers: options.headers });
  const provider = new otel.TracerProvider({
    resource: otel.resourceFromAttributes(options.resource),
    // Drawn before: what comes here is kept.
    sampler: new otel.AlwaysOnSampler(),
    idGenerator: ids,
    spanProcessors: [
      new otel.BatchSpanProcessor({
        exporter,
        maxQueueSize: maxWaiting,
        maxExportBatchSize: maxBatch,
        scheduledDelayMillis: sendEveryMs,
      }),
    ],
  });
  return {
    tracer: new OtelTracer({
      tracer: provider.getTracer('skein', version),
      ids,
      sampling: options.sampling,
      random: Math.random,
    }),
    async close() {
      // A receiver that is away must not hold up the drain.
      const inTime = await completesWithin(
        keepAliveClock,
        closeMs,
        provider.shutdown().catch((err: unknown) => log.warn({ err }, 'the last spans could not be sent')),
      );
      if (!inTime) log.warn({}, 'the last spans could not be sent in time');
    },
  };
}

/** The SDK tells of its troubles process-wide, and repeats itself with every batch. */
function passComplaints(log: Log): void {
  let nextAt = 0;
  const complain = (message: string): void => {
    const now = performance.now();
    if (now < nextAt) return;
    nextAt = now + complainEveryMs;
    log.warn({ reason: message.slice(0, 500) }, 'spans could not be sent');
  };
  const silent = (): void => undefined;
  const logger = { error: complain, warn: complain, info: silent, debug: silent, verbose: silent };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
}
