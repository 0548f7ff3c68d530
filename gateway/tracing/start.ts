/** Starts tracing where it is configured. */
import { type Log, noTracer } from '../../runtime/observability/index.ts';
import type { Tracing, TracingOptions } from './open.ts';

/** Loads OpenTelemetry only where there are options. */
export async function startTracing(
  options: TracingOptions | undefined,
  version: string,
  log: Log,
): Promise<Tracing> {
  if (options === undefined) return { tracer: noTracer, close: () => Promise.resolve() };
  const { openTracer } = await import('./open.ts');
  return openTracer(options, version, log);
}
