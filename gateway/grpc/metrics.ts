/** The counts of gRPC, by method. */
import { status as codes } from '@grpc/grpc-js';
import { Counter, Gauge, type Registry } from 'prom-client';
import { BucketHistogram, HistogramBucketsBy } from '../../runtime/observability/index.ts';

export class GrpcMetrics {
  readonly #calls: Counter;
  readonly #durations = new HistogramBucketsBy(
    'method',
    [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 5_000, 10_000],
  );
  readonly #streams: Gauge;
  readonly #messages: Counter;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#calls = new Counter({
      name: 'skein_grpc_calls_total',
      help: 'Calls ended, streams included',
      labelNames: ['method', 'code'],
      registers,
    });
    new BucketHistogram(
      registry,
      'skein_grpc_milliseconds',
      'Time until a unary call was answered',
      this.#durations,
    );
    this.#streams = new Gauge({
      name: 'skein_grpc_streams',
      help: 'Streams open',
      labelNames: ['method'],
      registers,
    });
    this.#messages = new Counter({
      name: 'skein_grpc_messages_total',
      help: 'Messages answered on IngestMessages, events sent on SubscribeEvents, maps sent on WatchShards',
      labelNames: ['method', 'code'],
      registers,
    });
  }

  /**
   * A unary call was answered.
   *
   * @param traceparent of its span; undefined: its trace is not kept
   */
  answered(method: string, code: codes, durationMs: number, traceparent?: string): void {
    this.#calls.inc({ method, code: codes[code] });
    this.#durations.observe(method, durationMs, traceparent);
  }

  /** A call was refused before a message of it was read. */
  refused(method: string, code: codes): void {
    this.#calls.inc({ method, code: codes[code] });
  }

  streamOpened(method: string): void {
    this.#streams.inc({ method });
  }

  streamEnded(method: string, code: codes): void {
    this.#streams.dec({ method });
    this.#calls.inc({ method, code: codes[code] });
  }

  /** One message of a stream was answered or sent. */
  message(method: string, code: codes): void {
    this.#messages.inc({ method, code: codes[code] });
  }
}
