/** Health for gRPC's own probes (https://github.com/grpc/grpc/blob/master/doc/health-checking.md): what /readyz says, open to all. */
import { HealthImplementation } from 'grpc-health-check';
import type { Clock } from '../../runtime/clock.ts';
import { serviceName } from './definition.ts';

export interface GrpcHealthOptions {
  /** Whether the node can serve, as of /readyz. */
  readonly ready: () => Promise<boolean>;
  readonly clock: Clock;
  /** How often that is asked. Default 2,000 ms. */
  readonly everyMs?: number;
}

/** The service answers from what was last found, so that probes cost nothing. */
export class GrpcHealth {
  readonly service = new HealthImplementation({ '': 'NOT_SERVING', [serviceName]: 'NOT_SERVING' });
  readonly #options: GrpcHealthOptions;
  #serving = false;
  #over = false;
  #timer: { cancel(): void } | undefined;

  constructor(options: GrpcHealthOptions) {
    this.#options = options;
  }

  /** Looks now and then; resolves after the first look. */
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
