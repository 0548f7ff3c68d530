/** The `Tracer` of a node that traces: draws which traces are kept, and opens the spans of those with OpenTelemetry's SDK. */
import {
  ROOT_CONTEXT,
  type Context,
  type Link,
  type Span as ApiSpan,
  SpanKind as ApiSpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Tracer as ApiTracer,
} from '@opentelemetry/api';
import {
  formatTraceparent,
  parseTraceparent,
  runTraceparent,
  type Attributes,
  type Span,
  type SpanKind,
  type SpanOptions,
  type TraceContext,
  type Tracer,
} from '../../runtime/observability/index.ts';
import type { IdGenerator } from './otel.ts';
import { isInRatio, keepsCallersTrace, type Sampling } from './sampling.ts';

const kinds = {
  internal: ApiSpanKind.INTERNAL,
  server: ApiSpanKind.SERVER,
  client: ApiSpanKind.CLIENT,
} as const satisfies Record<SpanKind, ApiSpanKind>;

/** Random ids, but for the first span of a run, whose ids follow from the run's. */
export class SpanIds implements IdGenerator {
  readonly #random: IdGenerator;
  #next: TraceContext | undefined;

  constructor(random: IdGenerator) {
    this.#random = random;
  }

  /** The span that is opened while `open` runs gets these ids. */
  use<T>(ids: TraceContext, open: () => T): T {
    this.#next = ids;
    try {
      return open();
    } finally {
      this.#next = undefined;
    }
  }

  generateTraceId(): string {
    return this.#next?.traceId ?? this.#random.generateTraceId();
  }

  generateSpanId(): string {
    return this.#next?.spanId ?? this.#random.generateSpanId();
  }
}

export interface OtelTracerOptions {
  readonly tracer: ApiTracer;
  readonly ids: SpanIds;
  readonly sampling: Sampling;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

export class OtelTracer implements Tracer {
  readonly isOn = true;
  readonly #options: OtelTracerOptions;

  constructor(options: OtelTracerOptions) {
    this.#options = options;
  }

  startRequest(name: string, given: string | undefined, options: SpanOptions = {}): Span | undefined {
    const { sampling, random } = this.#options;
    const caller = parseTraceparent(given);
    if (caller === undefined) {
      return random() < sampling.ratio ? this.#open(name, ROOT_CONTEXT, options) : undefined;
    }
    return keepsCallersTrace(sampling, caller) ? this.#open(name, toContext(caller), options) : undefined;
  }

  startRun(name: string, runId: string, options: SpanOptions = {}): Span | undefined {
    const { ids, sampling } = this.#options;
    const first = runTraceparent(runId);
    if (!isInRatio(first.traceId, sampling.ratio)) return undefined;
    return ids.use(first, () => this.#open(name, ROOT_CONTEXT, options));
  }

  runParent(runId: string): string | undefined {
    const first = runTraceparent(runId);
    if (!isInRatio(first.traceId, this.#options.sampling.ratio)) return undefined;
    return formatTraceparent({ ...first, sampled: true });
  }

  start(name: string, parent: string | undefined, options: SpanOptions = {}): Span | undefined {
    const context = parseTraceparent(parent);
    return context?.sampled === true ? this.#open(name, toContext(context), options) : undefined;
  }

  #open(name: string, context: Context, { kind = 'internal', attributes, links }: SpanOptions): Span {
    const options = {
      kind: kinds[kind],
      ...(attributes !== undefined && { attributes }),
      ...(links !== undefined && { links: toLinks(links) }),
    };
    return new OtelSpan(this.#options.tracer.startSpan(name, options, context));
  }
}

class OtelSpan implements Span {
  readonly traceparent: string;
  readonly #span: ApiSpan;

  constructor(span: ApiSpan) {
    const { traceId, spanId } = span.spanContext();
    this.traceparent = formatTraceparent({ traceId, spanId, sampled: true });
    this.#span = span;
  }

  set(attributes: Attributes): void {
    this.#span.setAttributes(attributes);
  }

  note(event: string): void {
    this.#span.addEvent(event);
  }

  end(failure?: string): void {
    if (failure !== undefined) {
      this.#span.setAttribute('error.type', failure);
      this.#span.setStatus({ code: SpanStatusCode.ERROR });
    }
    this.#span.end();
  }
}

function toContext({ traceId, spanId }: TraceContext): Context {
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: TraceFlags.SAMPLED,
    isRemote: true,
  });
}

function toLinks(links: readonly string[]): Link[] {
  return links.flatMap(text => {
    const linked = parseTraceparent(text);
    if (linked === undefined) return [];
    const { traceId, spanId } = linked;
    return [{ context: { traceId, spanId, traceFlags: TraceFlags.SAMPLED } }];
  });
}
