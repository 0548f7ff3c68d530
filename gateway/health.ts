/** What orchestrators ask: /healthz, /readyz, /metrics (Prometheus text). At the root of the server, open to all. */
import type { Registry } from 'prom-client';
import type { Log } from '../runtime/log.ts';
import type { HttpAnswer } from './http/message.ts';
import type { HttpServer } from './http/server.ts';

/** Resolves when the part can serve; rejects or stays silent when it cannot. */
export type Check = () => Promise<void>;

export interface HealthOptions {
  /** By the name that /readyz shows: `database`, `transport`, ... */
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
    // The process answers, so it lives: what it depends on is not its life.
    const always = { always: true };
    server.route('GET', '/healthz', () => json(200, { status: 'ok' }), always);
    server.route('GET', '/readyz', () => this.#readiness(), always);
    server.route('GET', '/metrics', () => this.#metrics(), always);
  }

  /** Until `release` /readyz says 503. */
  hold(): void {
    this.#stage = 'starting';
  }

  release(): void {
    this.#stage = 'serving';
  }

  /** From now on /readyz says 503, so that load balancers look elsewhere. */
  drain(): void {
    this.#stage = 'draining';
  }

  /** What /readyz would say. */
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
      // The reason is for the log: the route is open to all.
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
