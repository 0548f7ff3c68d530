/**
 * /healthz, /readyz and /metrics (Prometheus text, or OpenMetrics), at the root of the server. Anybody may ask for the first two, so they cost next to
 * nothing; metrics tell what a node does for whom, and cost more.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Gauge, type Registry } from 'prom-client';
import type { Log } from '../../runtime/observability/index.ts';
import { classifyAddress } from '../../runtime/outbound/index.ts';
import { ServiceError } from '../../protocol/errors.ts';
import { ServiceTokens } from '../auth/index.ts';
import type { HttpAnswer, HttpRequest, HttpServer } from '../http/index.ts';
import { formatOpenMetrics, openMetricsType, prefersOpenMetrics } from './open-metrics.ts';

/** Resolves when the part can serve. Rejects, or does not settle, when it cannot. */
export type Check = () => Promise<void>;

type CheckState = 'ok' | 'failed' | 'degraded';

/** A scrape waits no longer for the checks: then how they last ended counts. */
const scrapeWaitMs = 500;

export interface Readiness {
  readonly status: 'ok' | 'starting' | 'draining' | 'failed';
  /** By the names of the checks and degradations. */
  readonly checks: Readonly<Record<string, CheckState>>;
}

export interface HealthOptions {
  /** By the name that /readyz shows, such as `database`. */
  readonly checks: Readonly<Record<string, Check>>;
  /** By the name that /readyz shows, whether a part does less than it should. The node is ready all the same. Default none. */
  readonly degradations?: Readonly<Record<string, () => boolean>>;
  readonly registry: Pick<Registry, 'metrics' | 'contentType' | 'getMetricsAsArray'>;
  /** The bearer token of the scraper. Undefined: only clients at the loopback address get metrics. */
  readonly metricsToken?: string | undefined;
  /** Whether a proxy may forward requests of others, whose address is then the loopback address, too. Default false. */
  readonly isBehindProxy?: boolean;
  readonly log: Log;
  /** Milliseconds that the outcome of the checks is kept. Default 1,000. */
  readonly checkEveryMs?: number;
  /** Time for each check, in milliseconds. Default 2,000. */
  readonly checkDeadlineMs?: number;
}

export class Health {
  readonly #options: HealthOptions;
  readonly #metricsTokens: ServiceTokens | undefined;
  #stage: 'starting' | 'serving' | 'draining' = 'serving';
  /** The outcome of the checks, and until when it is kept, in monotonic milliseconds. */
  #checked: { readonly passed: Promise<boolean[]>; readonly until: number } | undefined;

  /** How each check has last ended: whether it passed. */
  readonly #last = new Map<string, boolean>();

  constructor(options: HealthOptions) {
    this.#options = options;
    const { metricsToken: token } = options;
    this.#metricsTokens = token === undefined ? undefined : new ServiceTokens([{ name: 'metrics', token }]);
  }

  /** Registers the three routes. */
  serve(server: HttpServer): void {
    // A process that answers is alive, whatever the state of what it depends on.
    const always = { always: true };
    server.route('GET', '/healthz', () => json(200, { status: 'ok' }), always);
    server.route('GET', '/readyz', () => this.#readiness(), always);
    server.route('GET', '/metrics', request => this.#metrics(request), always);
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

  /**
   * What /readyz shows.
   *
   * @param withinMs for who cannot wait as long as the checks may take: one that takes longer counts as it last ended, or as failed if it
   * never has
   */
  async describe(withinMs?: number): Promise<Readiness> {
    const names = Object.keys(this.#options.checks);
    const checking = this.#check(names);
    const results = await (withinMs === undefined ? checking : this.#orLast(checking, names, withinMs));
    const failed = names.filter((_, index) => !results[index]);
    const status = this.#stage !== 'serving' ? this.#stage : failed.length === 0 ? 'ok' : 'failed';
    const checks: Record<string, CheckState> = {};
    names.forEach((name, index) => (checks[name] = results[index] === true ? 'ok' : 'failed'));
    for (const [name, isDegraded] of Object.entries(this.#options.degradations ?? {})) {
      checks[name] = isDegraded() ? 'degraded' : 'ok';
    }
    return { status, checks };
  }

  async #readiness(): Promise<HttpAnswer> {
    const readiness = await this.describe();
    return json(readiness.status === 'ok' ? 200 : 503, readiness);
  }

  #check(names: readonly string[]): Promise<boolean[]> {
    const now = performance.now();
    if (this.#checked === undefined || this.#checked.until <= now) {
      this.#checked = {
        passed: Promise.all(names.map(name => this.#passes(name))),
        until: now + (this.#options.checkEveryMs ?? 1_000),
      };
    }
    return this.#checked.passed;
  }

  async #orLast(checking: Promise<boolean[]>, names: readonly string[], ms: number): Promise<boolean[]> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean[]>(resolve => {
      timer = setTimeout(() => resolve(names.map(name => this.#last.get(name) === true)), ms);
    });
    try {
      return await Promise.race([checking, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #passes(name: string): Promise<boolean> {
    const ms = this.#options.checkDeadlineMs ?? 2_000;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
    });
    try {
      await Promise.race([this.#options.checks[name]?.(), late]);
      if (this.#last.get(name) === false) this.#options.log.info({ check: name }, 'ready again');
      this.#last.set(name, true);
      return true;
    } catch (err) {
      // The reason goes to the log only, because the route needs no authentication; once, since it is asked for every second.
      if (this.#last.get(name) !== false) this.#options.log.warn({ check: name, err }, 'not ready');
      this.#last.set(name, false);
      return false;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Throws 401. */
  async #metrics(request: HttpRequest): Promise<HttpAnswer> {
    const { registry } = this.#options;
    if (this.#metricsTokens !== undefined) this.#metricsTokens.verify(request.header('authorization'));
    else if (this.#options.isBehindProxy === true || !isLocal(request))
      throw new ServiceError('svc/auth/missing_credentials');
    if (prefersOpenMetrics(request.header('accept'))) {
      return { status: 200, contentType: openMetricsType, body: await formatOpenMetrics(registry) };
    }
    return { status: 200, contentType: registry.contentType, body: await registry.metrics() };
  }
}

/** Whether the client is on this machine, and is not a proxy that forwards for another client. */
function isLocal(request: HttpRequest): boolean {
  const isForwarded = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'].some(
    name => request.header(name) !== '',
  );
  return !isForwarded && classifyAddress(request.address) === 'loopback';
}

/** `skein_check_failed`: what /readyz shows, for alerts. A proxy sends nothing to a node that is not ready, so that its answers tell nothing. */
export function exposeChecks(registry: Registry, health: Pick<Health, 'describe'>): void {
  new Gauge({
    name: 'skein_check_failed',
    help: 'Checks of /readyz: 1 where one fails',
    labelNames: ['check'],
    registers: [registry],
    async collect(): Promise<void> {
      // After the other metrics of the scrape: they would count the query of the check as one that waits for a connection.
      await nextTurn();
      const { checks } = await health.describe(scrapeWaitMs);
      for (const [check, state] of Object.entries(checks)) this.set({ check }, state === 'failed' ? 1 : 0);
    },
  });
}

function json(status: number, value: unknown): HttpAnswer {
  return { status, body: JSON.stringify(value) };
}
