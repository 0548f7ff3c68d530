/**
 * Traces as the product uses them: a port, so that a node that traces nothing loads nothing for it. gateway/tracing makes the one that
 * speaks OpenTelemetry.
 *
 * What a span causes is its child. It is told which one by a text, the W3C Trace Context `traceparent`, which goes along with commands,
 * between nodes, into the rows of events and out to receivers. Whether a trace is kept is drawn where it begins, before any span is opened:
 * whoever has no `traceparent` of a kept trace opens none, and pays for the question alone.
 */
import { hash } from 'node:crypto';

export type SpanKind = 'internal' | 'server' | 'client';

/** Ids, numbers and names. Never what people wrote. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface SpanOptions {
  /** Default `internal`. */
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
  /** Each a `traceparent`: spans that this one does the work of, beside its parent. */
  readonly links?: readonly string[];
}

/** Work under way. */
export interface Span {
  /** What names this span as a parent. */
  readonly traceparent: string;
  set(attributes: Attributes): void;
  /** Notes that something has happened now. */
  note(event: string): void;
  /** Ends it; with `failure`, the class or code of what went wrong, as failed. */
  end(failure?: string): void;
}

export interface Tracer {
  /** False: nothing is traced, and every method below returns undefined. */
  readonly isOn: boolean;
  /**
   * Begins what somebody outside asks for. Undefined: its trace is not kept.
   *
   * @param given the caller's `traceparent`, as it came; empty or malformed counts as absent
   */
  startRequest(name: string, given: string | undefined, options?: SpanOptions): Span | undefined;
  /** Begins the trace of a run ({@link runTraceparent}). Undefined: it is not kept. */
  startRun(name: string, runId: string, options?: SpanOptions): Span | undefined;
  /** What names the first span of a run's trace, on every node. Undefined: it is not kept. */
  runParent(runId: string): string | undefined;
  /** Begins work below the span that `parent` names. Undefined: its trace is not kept. */
  start(name: string, parent: string | undefined, options?: SpanOptions): Span | undefined;
}

const nothing = (): undefined => undefined;

/** Traces nothing. */
export const noTracer: Tracer = {
  isOn: false,
  startRequest: nothing,
  startRun: nothing,
  runParent: nothing,
  start: nothing,
};

/** A `traceparent`, taken apart. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** The trace is kept. */
  readonly sampled: boolean;
}

// Later versions may be longer, and begin like this one.
const form = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?=$|-)/;

/** Reads a `traceparent` (https://www.w3.org/TR/trace-context/#traceparent-header). Undefined: it is none. */
export function parseTraceparent(text: string | undefined): TraceContext | undefined {
  if (text === undefined || text.length > 256) return undefined;
  const [, traceId, spanId, flags] = form.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  if (text.startsWith('00') && text.length !== 55) return undefined;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** Writes a `traceparent`. */
export function formatTraceparent({ traceId, spanId, sampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;
}

/**
 * The first span of a run's trace. A run begins long after the message that it answers, from a reminder, and may change its node; so its
 * trace follows from its id alone, and each node that works on it finds the same one.
 */
export function runTraceparent(runId: string): TraceContext {
  const digest = hash('sha256', runId, 'hex');
  return { traceId: digest.slice(0, 32), spanId: digest.slice(32, 48), sampled: false };
}
