/** What models and tools cost, in time and money, and why they fail. */
import type { Registry } from 'prom-client';
import { BucketHistogram, CountsBy, HistogramBuckets } from '../../runtime/observability/index.ts';
import type { ToolOutcome } from './commands.ts';
import { getUse, type ModelOutcome, type RunCounts } from './services.ts';

export class RunMetrics implements RunCounts {
  readonly #steps: CountsBy;
  readonly #tokens: CountsBy;
  readonly #costMicros: CountsBy;
  readonly #calls: CountsBy;
  readonly #stepMs = new HistogramBuckets([
    100, 250, 500, 1_000, 2_500, 5_000, 10_000, 20_000, 40_000, 60_000, 120_000,
  ]);
  readonly #callMs = new HistogramBuckets([10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000]);

  constructor(registry: Registry) {
    this.#steps = new CountsBy(
      registry,
      'skein_model_steps_total',
      'Questions to models by how they ended',
      'outcome',
    );
    this.#tokens = new CountsBy(registry, 'skein_model_tokens_total', 'Tokens of models', 'direction');
    this.#costMicros = new CountsBy(
      registry,
      'skein_model_cost_micros_total',
      'Estimated price of the answers of models, in millionths of a dollar',
      'provider',
    );
    this.#calls = new CountsBy(
      registry,
      'skein_tool_calls_total',
      'Calls of tools by how they ended',
      'outcome',
    );
    new BucketHistogram(
      registry,
      'skein_model_milliseconds',
      'Time until a model had answered, retries included',
      this.#stepMs,
    );
    new BucketHistogram(
      registry,
      'skein_tool_milliseconds',
      'Time until a tool had answered, retries included',
      this.#callMs,
    );
  }

  countStep(provider: string, outcome: ModelOutcome, durationMs: number, traceparent?: string): void {
    this.#stepMs.observe(durationMs, traceparent);
    this.#steps.add('failure' in outcome ? outcome.failure.errorCode : 'succeeded');
    const use = getUse(outcome);
    if (use === undefined) return;
    this.#tokens.add('input', use.promptTokens ?? 0);
    this.#tokens.add('output', use.completionTokens ?? 0);
    this.#costMicros.add(provider, use.costMicros ?? 0);
  }

  countCall({ status, durationMs }: ToolOutcome, traceparent?: string): void {
    this.#callMs.observe(durationMs, traceparent);
    this.#calls.add(status);
  }
}
