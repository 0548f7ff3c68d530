/** Health for gRPC's own probes (https://github.com/grpc/grpc/blob/master/doc/health-checking.md): what /readyz says, open to all. */
import { HealthImplementation } from 'grpc-health-check';
import type { Clock } from '../../runtime/time/index.ts';
import { serviceName } from './definition.ts';

export interface GrpcHealthOptions {
  /** Whether the node can serve, as /readyz tells. */
  readonly ready: () => Promise<boolean>;
  readonly clock: Clock;
  /** Milliseconds between two checks. Default 2,000. */
  readonly everyMs?: number;
}

/** The service answers with the last result, so that probes cost nothing. */
export class GrpcHealth {
  readonly service = new HealthImplementation({ '': 'NOT_SERVING', [serviceName]: 'NOT_SERVING' });
  readonly #options: GrpcHealthOptions;
  #serving = false;
  #over = false;
  #timer: { cancel(): void } | undefined;

  constructor(options: GrpcHealthOptions) {
    this.#options = options;
  }

  /** Checks at intervals; resolves after the first check. */
  async start(): Promise<void> {
    const { ready, clock, everyMs = 2_000 } = this.#options;
    const serving = await ready();
    if (this.#over) return;
    this.#tell(serving);
    this.#timer = clock.after(everyMs, () => void this.start());
  }

  /** NOT_SERVING from now on. */
  drain(): void {
    this.#over = true;
    this.#timer?.cancel();
    this.#tell(false);
  }

  #tell(serving: boolean): void {
    if (serving === this.#serving) return;
    this.#serving = serving;
    for (const name of ['', serviceName]) this.service.setStatus(name, serving ? 'SERVING' : 'NOT_SERVING');
  }
}
