/** When the steps and tool calls of a run were, as parts of the whole: for bars beneath each other. */
import type { RunTrace, TracedCall, TracedStep } from '../../sdk/index.ts';

export interface Bar {
  readonly key: string;
  readonly is: 'step' | 'call';
  /** Of the model's turn, or of the call. */
  readonly durationMs: number | null;
  /** Parts of the whole, from 0 to 1. */
  readonly from: number;
  readonly width: number;
  readonly step: TracedStep;
  readonly call?: TracedCall;
}

/** Shown at least, so that what took no time is seen. */
const leastWidth = 0.004;

export function layOut({ steps }: Pick<RunTrace, 'steps'>): readonly Bar[] {
  const spans = steps.flatMap(step => [
    { key: `step-${step.step}`, is: 'step' as const, at: step.startedAt, durationMs: step.durationMs, step },
    ...step.toolCalls.map(call => ({
      key: `call-${step.step}-${call.callId}`,
      is: 'call' as const,
      at: call.startedAt,
      durationMs: call.durationMs,
      step,
      call,
    })),
  ]);
  const begin = Math.min(...spans.map(({ at }) => Date.parse(at)));
  const end = Math.max(...spans.map(({ at, durationMs }) => Date.parse(at) + (durationMs ?? 0)));
  const whole = Math.max(1, end - begin);
  return spans.map(({ at, ...span }) => ({
    ...span,
    from: (Date.parse(at) - begin) / whole,
    width: Math.max(leastWidth, (span.durationMs ?? 0) / whole),
  }));
}
