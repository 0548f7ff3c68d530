/** The counts of gRPC, by method. */
import { status as codes } from '@grpc/grpc-js';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

export class GrpcMetrics {
  readonly #calls: Counter;
  readonly #durations: Histogram;
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
    this.#durations = new Histogram({
      name: 'skein_grpc_milliseconds',
      help: 'Time until a unary call was answered',
      labelNames: ['method'],
      buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 5_000, 10_000],
      registers,
    });
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

  /** A unary call was answered. */
  answered(method: string, code: codes, durationMs: number): void {
    this.#calls.inc({ method, code: codes[code] });
    this.#durations.observe({ method }, durationMs);
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
