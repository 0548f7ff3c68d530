/**
 * The figures of this node's metrics that the alerts look at (deploy/prometheus/rules.yaml), over the spans that they look at: a scraper
 * remembers what was, and so does this, for whoever asks the node itself. A sample is taken each quarter of a minute.
 */
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import type { Registry } from 'prom-client';
import type { Clock, Timer } from '../../runtime/time/index.ts';

const sampleMs = 15_000;
/** The longest span, and the sample before it. */
const keptSamples = 121;
const minuteMs = 60_000;
/** Gauges count as high when they were so for this long: many are for a moment. */
const heldMs = minuteMs;
const heldVacantMs = 30_000;

type Labels = Readonly<Record<string, string | number>>;
type Values = readonly { readonly labels: Labels; readonly value: number; readonly metricName?: string }[];

interface Count {
  readonly metric: string;
  /** Minutes. */
  readonly span: number;
  readonly counts?: (labels: Labels) => boolean;
}

const modelFailures = new Set(['provider_error', 'rate_limited', 'timeout', 'unreachable']);
const chatappFailures = new Set(['timeout', 'unreachable', 'server_error', 'invalid_answer']);

/** Counters, and over how long their increase is read. */
const counts = {
  commits: { metric: 'skein_commits_total', span: 5 },
  commitsRefused: { metric: 'skein_commits_refused_total', span: 5 },
  storageRefused: { metric: 'skein_storage_refused_total', span: 5 },
  overloaded: { metric: 'skein_overloaded_total', span: 5 },
  deadLetters: { metric: 'skein_dead_letters_total', span: 15 },
  defects: { metric: 'skein_defects_total', span: 15 },
  sweepFailures: { metric: 'skein_sweep_failures_total', span: 30 },
  leaseExpiries: { metric: 'skein_lease_expiries_total', span: 5 },
  membersExpired: { metric: 'skein_members_expired_total', span: 5 },
  quotaUnanswered: { metric: 'skein_quota_asks_unanswered_total', span: 5 },
  answers: { metric: 'skein_rest_answers_total', span: 5 },
  serverErrors: {
    metric: 'skein_rest_answers_total',
    span: 5,
    counts: ({ status }) => String(status).startsWith('5'),
  },
  modelSteps: { metric: 'skein_model_steps_total', span: 10 },
  modelFailures: {
    metric: 'skein_model_steps_total',
    span: 10,
    counts: ({ outcome }) => modelFailures.has(String(outcome)),
  },
  chatappCalls: {
    metric: 'skein_provider_calls_total',
    span: 10,
    counts: ({ provider }) => provider === 'chatapp',
  },
  chatappFailures: {
    metric: 'skein_provider_calls_total',
    span: 10,
    counts: ({ provider, outcome }) => provider === 'chatapp' && chatappFailures.has(String(outcome)),
  },
  mailAttempts: { metric: 'skein_mails_total', span: 30 },
  mailFailures: { metric: 'skein_mails_total', span: 30, counts: ({ outcome }) => outcome === 'failed' },
  secretsUnreadable: { metric: 'skein_secrets_unreadable_total', span: 15 },
} as const satisfies Record<string, Count>;

const histograms = {
  commitMs: { metric: 'skein_commit_milliseconds', span: 5 },
  webhookDelayMs: { metric: 'skein_webhook_delay_milliseconds', span: 10 },
} as const;

/** A name of a counter, and how long its increase is read, in minutes. */
export const countSpans: Readonly<Record<CountName, number>> = mapValues(counts, ({ span }) => span);

export type CountName = keyof typeof counts;
type HistogramName = keyof typeof histograms;

/** The upper end of a bucket, null for the last, and what came into it or those before it. */
export type Buckets = readonly (readonly [end: number | null, cumulative: number])[];

interface Sample {
  /** Monotonic milliseconds. */
  readonly at: number;
  readonly counts: Readonly<Record<CountName, number>>;
  readonly buckets: Readonly<Record<HistogramName, Buckets>>;
  /** Refused commits by reason. */
  readonly refusals: Readonly<Record<string, number>>;
  readonly eventLoopP99Seconds: number;
  /** Work that waits, by pool. */
  readonly waiting: Readonly<Record<string, number>>;
  readonly vacantShards: number;
}

export interface NodeFigures {
  /** Increases over the span of each counter. */
  readonly increases: Readonly<Record<CountName, number>>;
  readonly increasedBuckets: Readonly<Record<HistogramName, Buckets>>;
  readonly refusals: readonly { readonly reason: string; readonly recent: number; readonly total: number }[];
  /** Of the last quarter of a minute, and the least of the last minute. */
  readonly eventLoopP99Seconds: number;
  readonly heldEventLoopP99Seconds: number;
  /** Of the pool that most waited for during the whole of the last minute. */
  readonly heldWaiting: number;
  /** Of the last half minute. */
  readonly heldVacantShards: number;
  readonly clockAheadSeconds: number;
  /** Null on all nodes but the one that measures it. */
  readonly oldestDeliverySeconds: number | null;
  readonly tokenExpirySeconds: number | null;
  /** Null on all nodes but the one that measures it. */
  readonly oldestSnapshotSeconds: number | null;
  readonly pools: readonly { readonly name: string; readonly busy: number; readonly waiting: number }[];
}

export class FigureHistory {
  readonly #registry: Registry;
  readonly #clock: Pick<Clock, 'monotonic' | 'after'>;
  readonly #samples: Sample[] = [];
  #eventLoop: IntervalHistogram | undefined;
  #timer: Timer | undefined;

  constructor(registry: Registry, clock: Pick<Clock, 'monotonic' | 'after'>) {
    this.#registry = registry;
    this.#clock = clock;
  }

  /** Takes the first sample; what was before it is no increase. */
  async start(): Promise<void> {
    this.#eventLoop = monitorEventLoopDelay({ resolution: 10 });
    this.#eventLoop.enable();
    this.#samples.push(await this.#take());
    this.#schedule();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#eventLoop?.disable();
  }

  async read(): Promise<NodeFigures> {
    const [now, pools, clock, oldest, expiry, snapshot] = await Promise.all([
      this.#take(),
      this.#readPools(),
      this.#readGauge('skein_clock_ahead_seconds'),
      this.#readGauge('skein_deliveries_oldest_seconds'),
      this.#readGauge('skein_channel_token_expiry_seconds'),
      this.#readGauge('skein_snapshot_oldest_seconds'),
    ]);
    const held = (pick: (sample: Sample) => number, ms = heldMs): number =>
      Math.min(...this.#samples.filter(({ at }) => at >= now.at - ms).map(pick), pick(now));
    const refusedBefore = this.#findBefore(now, 5).refusals;
    return {
      increases: mapValues(
        counts,
        ({ span }, name) => now.counts[name] - this.#findBefore(now, span).counts[name],
      ),
      increasedBuckets: mapValues(histograms, ({ span }, name) =>
        subtract(now.buckets[name], this.#findBefore(now, span).buckets[name]),
      ),
      refusals: Object.entries(now.refusals).map(([reason, total]) => ({
        reason,
        recent: total - (refusedBefore[reason] ?? 0),
        total,
      })),
      eventLoopP99Seconds: (this.#samples.length > 1 ? this.#samples.at(-1) : now)?.eventLoopP99Seconds ?? 0,
      heldEventLoopP99Seconds: held(sample => sample.eventLoopP99Seconds),
      heldWaiting: Math.max(
        0,
        ...Object.keys(now.waiting).map(pool => held(({ waiting }) => waiting[pool] ?? 0)),
      ),
      heldVacantShards: held(sample => sample.vacantShards, heldVacantMs),
      clockAheadSeconds: clock ?? 0,
      oldestDeliverySeconds: oldest ?? null,
      tokenExpirySeconds: expiry ?? null,
      oldestSnapshotSeconds: snapshot ?? null,
      pools,
    };
  }

  #schedule(): void {
    this.#timer = this.#clock.after(sampleMs, () => {
      this.#schedule();
      void this.#keep();
    });
  }

  async #keep(): Promise<void> {
    const sample = await this.#take();
    this.#eventLoop?.reset();
    this.#samples.push(sample);
    if (this.#samples.length > keptSamples) this.#samples.shift();
  }

  /** The newest sample that is at least so many minutes old, or the first. */
  #findBefore(now: Sample, minutes: number): Sample {
    const at = now.at - minutes * minuteMs;
    return this.#samples.findLast(sample => sample.at <= at) ?? this.#samples[0] ?? now;
  }

  async #take(): Promise<Sample> {
    const at = this.#clock.monotonic();
    const metrics = new Set(
      [...Object.values(counts), ...Object.values(histograms)].map(({ metric }) => metric),
    );
    const values = new Map<string, Values>();
    for (const metric of metrics) values.set(metric, await this.#readValues(metric));
    const [refusals, waiting, shards] = await Promise.all(
      ['skein_commit_refusals_total', 'skein_outbound_waiting', 'skein_cluster_shards'].map(name =>
        this.#readValues(name),
      ),
    );
    const pools = await this.#readValues('skein_database_connections');
    return {
      at,
      counts: mapValues(counts, (count: Count) => sum(values.get(count.metric) ?? [], count.counts)),
      buckets: mapValues(histograms, ({ metric }) => toBuckets(values.get(metric) ?? [])),
      refusals: Object.fromEntries(
        (refusals ?? []).map(({ labels, value }) => [String(labels['reason']), value]),
      ),
      eventLoopP99Seconds: (this.#eventLoop?.percentile(99) ?? 0) / 1e9,
      waiting: Object.fromEntries([
        ...(waiting ?? []).map(({ labels, value }) => [String(labels['queue']), value] as const),
        ...pools
          .filter(({ labels }) => labels['state'] === 'waiting')
          .map(({ labels, value }) => [String(labels['pool']), value] as const),
      ]),
      vacantShards: sum(shards ?? [], ({ state }) => state === 'vacant'),
    };
  }

  async #readPools(): Promise<NodeFigures['pools']> {
    const [inFlight, waiting, connections] = await Promise.all(
      ['skein_outbound_in_flight', 'skein_outbound_waiting', 'skein_database_connections'].map(name =>
        this.#readValues(name),
      ),
    );
    const names = (values: Values | undefined, label: string): string[] => [
      ...new Set((values ?? []).map(({ labels }) => String(labels[label]))),
    ];
    return [
      ...names(inFlight, 'queue').map(name => ({
        name,
        busy: sum(inFlight ?? [], ({ queue }) => queue === name),
        waiting: sum(waiting ?? [], ({ queue }) => queue === name),
      })),
      ...names(connections, 'pool').map(name => ({
        name,
        busy: sum(connections ?? [], ({ pool, state }) => pool === name && state === 'busy'),
        waiting: sum(connections ?? [], ({ pool, state }) => pool === name && state === 'waiting'),
      })),
    ];
  }

  async #readGauge(name: string): Promise<number | undefined> {
    return (await this.#readValues(name))[0]?.value;
  }

  /** None where this node has no such metric: rate limits may be switched off, and a node alone has no cluster. */
  async #readValues(name: string): Promise<Values> {
    const metric = this.#registry.getSingleMetric(name);
    return metric === undefined ? [] : ((await metric.get()).values as Values);
  }
}

function mapValues<K extends string, V, R>(
  from: Readonly<Record<K, V>>,
  map: (value: V, key: K) => R,
): Record<K, R> {
  return Object.fromEntries(
    Object.entries<V>(from).map(([key, value]) => [key, map(value, key as K)]),
  ) as Record<K, R>;
}

function sum(values: Values, counts: (labels: Labels) => boolean = () => true): number {
  return values.reduce((total, { labels, value }) => (counts(labels) ? total + value : total), 0);
}

function toBuckets(values: Values): Buckets {
  return values
    .filter(({ metricName = '' }) => metricName.endsWith('_bucket'))
    .map(({ labels, value }) => [labels['le'] === '+Inf' ? null : Number(labels['le']), value] as const);
}

function subtract(now: Buckets, before: Buckets): Buckets {
  return now.map(([end, value], index) => [end, value - (before[index]?.[1] ?? 0)] as const);
}

/** Those of several nodes as one. */
export function addBuckets(all: readonly Buckets[]): Buckets {
  const [first = []] = all;
  return first.map(([end], index) => [end, all.reduce((total, each) => total + (each[index]?.[1] ?? 0), 0)]);
}

/** As `histogram_quantile` of Prometheus: within a bucket what there is lies evenly. Null: there is nothing. */
export function findQuantile(share: number, buckets: Buckets): number | null {
  const total = buckets.at(-1)?.[1] ?? 0;
  if (total === 0) return null;
  const rank = share * total;
  const index = buckets.findIndex(([, cumulative]) => cumulative >= rank);
  const [start, before] = index > 0 ? (buckets[index - 1] ?? [0, 0]) : [0, 0];
  const [end, upto] = buckets[index] ?? [null, total];
  if (end === null || start === null) return start ?? 0;
  return start + ((end - start) * (rank - before)) / Math.max(1, upto - before);
}
