/** What this node knows of its webhooks: how late they are, how attempts end, and how far stitches are behind the log. */
import { LRUCache } from 'lru-cache';
import { Gauge, type Registry } from 'prom-client';
import { BucketHistogram, CountsBy, HistogramBuckets } from '../../runtime/observability/index.ts';
import type { AttemptResult } from './commands.ts';
import { quickMs, toOutcome } from './window.ts';

/** Stitches that are behind: beyond it the ones seen longest ago are forgotten. */
const maxStitches = 10_000;
/** A stitch that was not looked at for so long, in milliseconds, has moved to another node, or is idle. */
const forgetMs = 600_000;

export interface StitchLag {
  readonly stitchId: string;
  /** Events that it has yet to read of the log. */
  readonly lagEvents: number;
}

export class StitchMetrics {
  readonly #attempts: CountsBy;
  readonly #delayMs = new HistogramBuckets([
    10, 50, 100, 500, 1_000, 5_000, 30_000, 60_000, 300_000, 900_000, 3_600_000, 21_600_000, 86_400_000,
  ]);
  readonly #attemptMs = new HistogramBuckets([
    5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 15_000,
  ]);
  readonly #lags = new LRUCache<string, number>({ max: maxStitches, ttl: forgetMs });

  constructor(registry: Registry) {
    this.#attempts = new CountsBy(
      registry,
      'skein_webhook_attempts_total',
      'Attempts of deliveries by how they ended',
      'outcome',
    );
    new BucketHistogram(
      registry,
      'skein_webhook_delay_milliseconds',
      'Time from an event to the first attempt of its delivery, where the receiver answered within a second',
      this.#delayMs,
    );
    new BucketHistogram(
      registry,
      'skein_webhook_attempt_milliseconds',
      'Time until a receiver answered, or the attempt failed',
      this.#attemptMs,
    );
    const lags = this.#lags;
    new Gauge({
      name: 'skein_stitch_lag_events',
      help: 'Events that the stitch furthest behind has yet to read of the log',
      registers: [registry],
      collect(): void {
        let most = 0;
        for (const lag of lags.values()) if (lag > most) most = lag;
        this.set(most);
      },
    });
  }

  /** A stitch has read the log up to `end`, exclusive, and `head` is the newest event. */
  noteRead(stitchId: string, end: number, head: number): void {
    const lag = head + 1 - end;
    if (lag > 0) this.#lags.set(stitchId, lag);
    else this.#lags.delete(stitchId);
  }

  /** Stitches that were behind when they were last looked at, those with most to read first, and at most so many. */
  listFurthestBehind(limit: number): StitchLag[] {
    return [...this.#lags.entries()]
      .map(([stitchId, lagEvents]) => ({ stitchId, lagEvents }))
      .sort((a, b) => b.lagEvents - a.lagEvents)
      .slice(0, limit);
  }

  /** @param traceparent of the attempt; undefined where its trace is not kept */
  countAttempt({ delivery, at, durationMs, status, failure }: AttemptResult, traceparent?: string): void {
    const { trigger, attempts, eventAt } = delivery;
    const outcome = toOutcome(status, failure);
    // What waits for a receiver that is slow or away waits for that alone: one with most of the webhooks would look like a node that is late.
    const isOurs = status !== null && outcome !== 'failed' && durationMs < quickMs;
    if (isOurs && trigger === 'scheduled' && attempts === 0)
      this.#delayMs.observe(at - Date.parse(eventAt), traceparent);
    this.#attemptMs.observe(durationMs, traceparent);
    this.#attempts.add(failure ?? (outcome === 'good' ? 'succeeded' : toStatusClass(status)));
  }
}

/** `4xx` and its like. */
function toStatusClass(status: number | null): string {
  return `${Math.floor((status ?? 0) / 100)}xx`;
}
