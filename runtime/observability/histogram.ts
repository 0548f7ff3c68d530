/**
 * A histogram for hot paths: one observation is a few comparisons and two additions. Each bucket keeps the newest observation whose trace is
 * kept, as an example of what takes so long.
 */
import { Histogram, type Registry } from 'prom-client';
import { parseTraceparent } from './tracer.ts';

/** An observation whose trace can be looked up. */
interface Example {
  readonly value: number;
  readonly traceparent: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

export class HistogramBuckets {
  readonly #bounds: readonly number[];
  readonly #counts: number[];
  /** By bucket. Undefined as long as nothing was traced. */
  #examples: (Example | undefined)[] | undefined;
  #sum = 0;

  /** `bounds` are the buckets' upper ends, ascending; greater values are counted, too. */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Array<number>(bounds.length + 1).fill(0);
  }

  /**
   * @param value in the unit of the bounds
   * @param traceparent of the span that was measured; undefined where its trace is not kept
   */
  observe(value: number, traceparent?: string): void {
    const bounds = this.#bounds;
    let i = 0;
    while (i < bounds.length && value > (bounds[i] ?? 0)) i++;
    this.#counts[i] = (this.#counts[i] ?? 0) + 1;
    this.#sum += value;
    if (traceparent === undefined) return;
    this.#examples ??= new Array<undefined>(bounds.length + 1).fill(undefined);
    // The simulation, which may read no clock of the system, traces nothing.
    this.#examples[i] = { value, traceparent, at: Date.now() };
  }

  get sum(): number {
    return this.#sum;
  }

  /** The number of observations up to each bound, and finally of all: as Prometheus counts. */
  cumulative(): number[] {
    let seen = 0;
    return this.#counts.map(count => (seen += count));
  }

  /** The newest observation of a bucket whose trace is kept. */
  example(bucket: number): Example | undefined {
    return this.#examples?.[bucket];
  }

  get bounds(): readonly number[] {
    return this.#bounds;
  }
}

/** Buckets for each value of one label. The values come from code, so that there are few. */
export class HistogramBucketsBy {
  readonly label: string;
  readonly bounds: readonly number[];
  readonly #byValue = new Map<string, HistogramBuckets>();

  constructor(label: string, bounds: readonly number[]) {
    this.label = label;
    this.bounds = bounds;
  }

  /** As `HistogramBuckets.observe`, for a value of the label. */
  observe(labelled: string, value: number, traceparent?: string): void {
    let buckets = this.#byValue.get(labelled);
    if (buckets === undefined) this.#byValue.set(labelled, (buckets = new HistogramBuckets(this.bounds)));
    buckets.observe(value, traceparent);
  }

  entries(): Iterable<readonly [labelled: string, buckets: HistogramBuckets]> {
    return this.#byValue;
  }
}

/** Exposes the buckets in a registry. prom-client's own `observe` hashes labels, which is ten times the work. */
export class BucketHistogram extends Histogram {
  readonly #name: string;
  readonly #source: HistogramBuckets | HistogramBucketsBy;
  /** An empty one, for the metadata of a scrape. */
  readonly #shape: Histogram;

  constructor(registry: Registry, name: string, help: string, source: HistogramBuckets | HistogramBucketsBy) {
    const configuration = { name, help, buckets: [...source.bounds] };
    super({ ...configuration, registers: [registry] });
    this.#name = name;
    this.#source = source;
    this.#shape = new Histogram({ ...configuration, registers: [] });
  }

  override get(): ReturnType<Histogram['get']> {
    return this.getForPromString();
  }

  /** The registry calls this for the text format (prom-client 15; missing in its types). */
  async getForPromString(): ReturnType<Histogram['get']> {
    const source = this.#source;
    const values =
      source instanceof HistogramBuckets
        ? this.#toValues(source, {})
        : [...source.entries()].flatMap(([value, buckets]) =>
            this.#toValues(buckets, { [source.label]: value }),
          );
    return { ...(await this.#shape.get()), values };
  }

  #toValues(source: HistogramBuckets, labels: Readonly<Record<string, string>>) {
    const counts = source.cumulative();
    const buckets = counts.map((value, i) => {
      const le = source.bounds[i] ?? '+Inf';
      const exemplar = toExemplar(source.example(i));
      return {
        metricName: `${this.#name}_bucket`,
        labels: { le, ...labels },
        value,
        ...(exemplar !== undefined && { exemplar }),
      };
    });
    return [
      ...buckets,
      { metricName: `${this.#name}_sum`, labels, value: source.sum },
      { metricName: `${this.#name}_count`, labels, value: counts.at(-1) ?? 0 },
    ];
  }
}

/** As OpenMetrics has it, and prom-client, whose types leave it out. */
export interface Exemplar {
  readonly labelSet: Readonly<Record<string, string>>;
  readonly value: number;
  /** Epoch seconds. */
  readonly timestamp: number;
}

function toExemplar(example: Example | undefined): Exemplar | undefined {
  const trace = parseTraceparent(example?.traceparent);
  if (example === undefined || trace === undefined) return undefined;
  return {
    labelSet: { trace_id: trace.traceId, span_id: trace.spanId },
    value: example.value,
    timestamp: example.at / 1_000,
  };
}
