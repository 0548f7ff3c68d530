/** What the HTTP server and the REST face count. */
import { Counter, Gauge, type Registry } from 'prom-client';
import { BucketHistogram, Buckets } from '../../runtime/buckets.ts';
import type { HttpServer } from '../http/server.ts';

/** The counts of one server, shown in the registry it is made with. */
export class RestMetrics {
  /** From the end of a request's body to its answer, in milliseconds. */
  readonly #durations = new Buckets([0.25, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 5_000, 10_000]);
  /** Answers by operation and status: counted here, and shown when somebody asks. */
  readonly #answers = new Map<string, Map<number, number>>();

  constructor(registry: Registry, server: Pick<HttpServer, 'stats'>) {
    const answers = this.#answers;
    showLevels(registry, server);
    new BucketHistogram(
      registry,
      'skein_rest_milliseconds',
      'Time until a request was answered',
      this.#durations,
    );
    new Counter({
      name: 'skein_rest_answers_total',
      help: 'Requests answered',
      labelNames: ['operation', 'status'],
      registers: [registry],
      collect(): void {
        this.reset();
        for (const [operation, byStatus] of answers) {
          for (const [status, count] of byStatus) this.inc({ operation, status }, count);
        }
      },
    });
  }

  /** For `Services.onAnswered`. */
  readonly answered = (operationId: string, status: number, durationMs: number): void => {
    this.#durations.observe(durationMs);
    let byStatus = this.#answers.get(operationId);
    if (byStatus === undefined) this.#answers.set(operationId, (byStatus = new Map()));
    byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
  };
}

type Level = keyof HttpServer['stats'];

const levels = {
  inFlight: ['skein_http_in_flight', 'Requests that wait for their answer'],
  bodyBytes: ['skein_http_body_bytes', 'Bytes of request bodies in memory'],
  sockets: ['skein_sockets', 'Open websockets'],
} as const satisfies Record<Level, readonly [name: string, help: string]>;

function showLevels(registry: Registry, server: Pick<HttpServer, 'stats'>): void {
  for (const [level, [name, help]] of Object.entries(levels) as [Level, readonly [string, string]][]) {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect(): void {
        this.set(server.stats[level]);
      },
    });
  }
}
