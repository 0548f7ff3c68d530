/** /healthz, /readyz and /metrics (Prometheus text), at the root of the server and without authentication. */
import type { Registry } from 'prom-client';
import type { Log } from '../../runtime/observability/index.ts';
import type { HttpAnswer, HttpServer } from '../http/index.ts';

/** Resolves when the part can serve. Rejects, or does not settle, when it cannot. */
export type Check = () => Promise<void>;

export interface HealthOptions {
  /** By the name that /readyz shows, such as `database`. */
  readonly checks: Readonly<Record<string, Check>>;
  readonly registry: Pick<Registry, 'metrics' | 'contentType'>;
  readonly log: Log;
  /** Time for each check, in milliseconds. Default 2,000. */
  readonly checkDeadlineMs?: number;
}

export class Health {
  readonly #options: HealthOptions;
  #stage: 'starting' | 'serving' | 'draining' = 'serving';

  constructor(options: HealthOptions) {
    this.#options = options;
  }

  /** Registers the three routes. */
  serve(server: HttpServer): void {
    // A process that answers is alive, whatever the state of what it depends on.
    const always = { always: true };
    server.route('GET', '/healthz', () => json(200, { status: 'ok' }), always);
    server.route('GET', '/readyz', () => this.#readiness(), always);
    server.route('GET', '/metrics', () => this.#metrics(), always);
  }

  /** /readyz answers 503 until `release`. */
  hold(): void {
    this.#stage = 'starting';
  }

  release(): void {
    this.#stage = 'serving';
  }

  /** From now on /readyz answers 503, so that load balancers send requests elsewhere. */
  drain(): void {
    this.#stage = 'draining';
  }

  /** What /readyz would answer. */
  async isReady(): Promise<boolean> {
    return (await this.#readiness()).status === 200;
  }

  async #readiness(): Promise<HttpAnswer> {
    const names = Object.keys(this.#options.checks);
    const results = await Promise.all(names.map(name => this.#passes(name)));
    const failed = names.filter((_, index) => !results[index]);
    const status = this.#stage !== 'serving' ? this.#stage : failed.length === 0 ? 'ok' : 'failed';
    const checks = Object.fromEntries(names.map((name, index) => [name, results[index] ? 'ok' : 'failed']));
    return json(status === 'ok' ? 200 : 503, { status, checks });
  }

  async #passes(name: string): Promise<boolean> {
    const ms = this.#options.checkDeadlineMs ?? 2_000;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
    });
    try {
      await Promise.race([this.#options.checks[name]?.(), late]);
      return true;
    } catch (err) {
      // The reason goes to the log only, because the route needs no authentication.
      this.#options.log.warn({ check: name, err }, 'not ready');
      return false;
    } finally {
      clearTimeout(timer);
    }
  }

  async #metrics(): Promise<HttpAnswer> {
    const { registry } = this.#options;
    return { status: 200, contentType: registry.contentType, body: await registry.metrics() };
  }
}

function json(status: number, value: unknown): HttpAnswer {
  return { status, body: JSON.stringify(value) };
}
