/** Which traces are kept, as OTEL_TRACES_SAMPLER says (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/). */
import type { TraceContext } from '../../runtime/observability/index.ts';

/** The names of samplers that a node knows. */
export const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

export type SamplerName = (typeof samplers)[number];

export interface Sampling {
  /** A caller's trace is kept where the caller keeps it. */
  readonly followsCaller: boolean;
  /** The share of all others that is kept, 0 to 1. */
  readonly ratio: number;
}

/** @param share of OTEL_TRACES_SAMPLER_ARG, 0 to 1; the samplers without a ratio ignore it */
export function toSampling(name: SamplerName, share: number): Sampling {
  const followsCaller = name.startsWith('parentbased_');
  const rule = followsCaller ? name.slice('parentbased_'.length) : name;
  const ratio = rule === 'always_on' ? 1 : rule === 'always_off' ? 0 : share;
  return { followsCaller, ratio };
}

/** Whether the trace of a caller who names one is kept. */
export function keepsCallersTrace({ followsCaller, ratio }: Sampling, given: TraceContext): boolean {
  return followsCaller ? given.sampled : isInRatio(given.traceId, ratio);
}

const all = 2 ** 56;

/** The same answer for the same trace everywhere: by its last 56 bits, which are random (W3C Trace Context, level 2). */
export function isInRatio(traceId: string, ratio: number): boolean {
  return Number.parseInt(traceId.slice(-14), 16) < ratio * all;
}
