/**
 * REST: from the operation table to routes of the HTTP server. A request becomes a {@link RestCall}, passes through the pipeline
 * (gateway/pipeline/pipeline.ts), and is answered with the headers of the bucket that it was charged to, refusals too.
 */
import { Counter, type Registry } from 'prom-client';
import { ServiceError } from '../../protocol/errors.ts';
import { getMaxBodyBytes, type Operation, type RateClass, storesMore } from '../../protocol/operation.ts';
import {
  BucketHistogram,
  CountsBy,
  HistogramBuckets,
  noTracer,
  type Log,
  type Tracer,
} from '../../runtime/observability/index.ts';
import type { Clock } from '../../runtime/time/index.ts';
import type { Authenticator, ServiceTokens } from '../auth/index.ts';
import { errorAnswer, type HttpAnswer, type HttpRequest, type HttpServer } from '../http/index.ts';
import {
  Authority,
  isDatabaseRead,
  chain,
  OperationCall,
  parseKey,
  PartsReader,
  type ReadAdmission,
  quotaExceeded,
  replayed,
  runPipeline,
  toRefusal,
  type Caller,
  type Endpoint,
  type Handler,
  type Handlers,
  type Idempotency,
  type Maybe,
  type OperationTable,
  type Parts,
  type Quota,
  type RateLimiter,
  type ServiceCaller,
  type StorageRoom,
  type Tenancy,
} from '../pipeline/index.ts';

/** What all operations share. */
export interface RestServices {
  readonly authenticator: Pick<Authenticator, 'authenticate'>;
  /** Who internal services are, for operations that every credential may call. Absent: there are none. */
  readonly serviceTokens?: Pick<ServiceTokens, 'find'>;
  readonly tenancy: Tenancy;
  readonly idempotency: Idempotency;
  readonly clock: Clock;
  readonly log: Log;
  readonly docsUrl: string;
  /** Absent: nothing is limited. */
  readonly limiter?: RateLimiter | undefined;
  /** Absent: there is always room. */
  readonly room?: StorageRoom | undefined;
  /** Absent: reads are not limited. */
  readonly reads?: ReadAdmission;
  /** Default: nothing is traced. */
  readonly tracer?: Tracer;
  /** Absent: nothing is counted. */
  readonly metrics?: AnswerMetrics;
  /** Rejects with what refuses a large body of another system, which nobody has signed in for (`Operation.rawBody`). Absent: all are taken. */
  readonly admitRawBody?: (request: HttpRequest) => Promise<void>;
}

/**
 * Serves every row of the table but websockets, under /v1; rows with `root` at the root of the server as well. A row without
 * a handler does not compile.
 */
export function serveOperations<Table extends OperationTable>(
  server: HttpServer,
  table: Table,
  handlers: Handlers<Table>,
  services: RestServices,
): void {
  const byId = handlers as Readonly<Record<string, Handler | undefined>>;
  for (const [id, operation] of Object.entries(table)) {
    if (operation.auth === 'stream') continue;
    const handler = byId[id];
    if (handler === undefined) throw new Error(`the operation ${id} has no handler`);
    const endpoint = new RestEndpoint(id, operation, handler, services);
    const versioned = `/v1${operation.path}`;
    for (const path of operation.root === true ? [versioned, operation.path] : [versioned]) {
      server.route(operation.method, path, request => endpoint.serve(request), {
        readsBody: operation.body !== undefined || operation.rawBody !== undefined,
        maxBodyBytes: getMaxBodyBytes(operation),
        admitBody: request => endpoint.admitBody(request),
        // Lines are sent as they are read.
        streamsAnswer: operation.success.contentType === 'application/x-ndjson',
        answersRefused: true,
      });
    }
  }
}

/** All but messages and receipts, which are no acts that are recorded, and come too often for the lookup of an address. */
const auditedRates: readonly RateClass[] = ['write', 'auth', 'signUp', 'invitation', 'bulk', 'run', 'test'];

/** One row of the operation table, ready to serve. */
export class RestEndpoint implements Endpoint {
  readonly id: string;
  readonly operation: Operation;
  readonly handler: Handler;
  readonly rules: Authority;
  readonly limiter: RateLimiter | undefined;
  readonly room: StorageRoom | undefined;
  readonly reads: ReadAdmission | undefined;
  readonly idempotency: Idempotency;
  readonly clock: Clock;
  readonly tracer: Tracer;
  readonly docsUrl: string;
  readonly authenticator: RestServices['authenticator'];
  /** Undefined: internal services may not call it. */
  readonly serviceTokens: RestServices['serviceTokens'];
  readonly parts: PartsReader;
  readonly #log: Log;
  readonly #metrics: AnswerMetrics | undefined;
  readonly #admitRawBody: RestServices['admitRawBody'];
  /** Its acts are recorded in the audit log. */
  readonly #isAudited: boolean;

  constructor(id: string, operation: Operation, handler: Handler, services: RestServices) {
    this.id = id;
    this.operation = operation;
    this.handler = handler;
    this.rules = new Authority(operation, services.tenancy);
    this.limiter = operation.rate === 'none' ? undefined : services.limiter;
    this.room = storesMore(operation) ? services.room : undefined;
    this.reads = isDatabaseRead(operation) ? services.reads : undefined;
    this.idempotency = services.idempotency;
    this.clock = services.clock;
    this.tracer = services.tracer ?? noTracer;
    this.docsUrl = services.docsUrl;
    this.authenticator = services.authenticator;
    this.serviceTokens = operation.auth === 'any' ? services.serviceTokens : undefined;
    this.parts = new PartsReader(operation);
    this.#log = services.log;
    this.#metrics = services.metrics;
    this.#admitRawBody = operation.rawBody === undefined ? undefined : services.admitRawBody;
    this.#isAudited = operation.method !== 'GET' && auditedRates.includes(operation.rate);
  }

  /** Answers a request; never throws, never rejects. */
  serve(request: HttpRequest): Maybe<HttpAnswer> {
    const call = new RestCall(this, request);
    if (this.tracer.isOn) {
      const { method, path } = this.operation;
      call.trace(request.header('traceparent'), {
        'http.request.method': method,
        'http.route': `/v1${path}`,
      });
    }
    // The audit log records the address, which cannot be determined any more once the client has gone: the request keeps it from here on.
    if (this.#isAudited) void request.address;
    try {
      const answer = runPipeline(call);
      if (!(answer instanceof Promise)) return this.#finish(call, answer);
      return answer.then(
        given => this.#finish(call, given),
        (error: unknown) => this.#refuse(call, error),
      );
    } catch (error) {
      return this.#refuse(call, error);
    }
  }

  /**
   * The refusal of a request whose caller is not known by its head: a large body is taken from callers only, and from other systems where
   * it is expected. Never throws.
   */
  admitBody(request: HttpRequest): Maybe<HttpAnswer | undefined> {
    const { needsCaller } = this.rules;
    if (!needsCaller && this.#admitRawBody === undefined) return undefined;
    const call = new RestCall(this, request);
    try {
      const authenticated = needsCaller
        ? chain(call.authenticate(), () => call.refundAnonymous())
        : this.#admitRawBody?.(request);
      if (!(authenticated instanceof Promise)) return undefined;
      return authenticated.then(
        () => undefined,
        (error: unknown) => this.#refuse(call, error),
      );
    } catch (error) {
      return this.#refuse(call, error);
    }
  }

  #refuse(call: RestCall, error: unknown): Maybe<HttpAnswer> {
    const refused = (reason: unknown): HttpAnswer => this.#finish(call, this.#toAnswer(call, reason));
    // A caller who was admitted has been charged.
    if (call.caller !== undefined || !this.rules.needsCaller) return refused(error);
    if (!(error instanceof ServiceError) || error.http !== 401) {
      call.refundAnonymous();
      return refused(error);
    }
    // An invalid credential is paid for by the address, if it has not been already.
    try {
      const charged = call.chargeAnonymous();
      return charged instanceof Promise ? charged.then(() => refused(error), refused) : refused(error);
    } catch (exceeded) {
      return refused(exceeded);
    }
  }

  #toAnswer(call: RestCall, error: unknown): HttpAnswer {
    const refusal = toRefusal(error);
    this.#metrics?.countRefusal(refusal?.code ?? 'svc/runtime/internal_error');
    if (refusal !== undefined) {
      const headers = call.isReplayed ? replayed : undefined;
      return errorAnswer(refusal, call.requestId, this.docsUrl, headers);
    }
    this.#log.error(
      { requestId: call.requestId, traceparent: call.traceparent, operation: this.id, err: error },
      'operation failed unexpectedly',
    );
    return errorAnswer(new ServiceError('svc/runtime/internal_error'), call.requestId, this.docsUrl);
  }

  #finish(call: RestCall, answer: HttpAnswer): HttpAnswer {
    const durationMs = this.clock.monotonic() - call.startedAt;
    this.#metrics?.count(this.id, answer.status, durationMs, call.span?.traceparent);
    if (call.span !== undefined) {
      const { status } = answer;
      call.endTrace({ 'http.response.status_code': status }, status >= 500 ? String(status) : undefined);
    }
    if (call.quota === undefined) return answer;
    return { ...answer, headers: { ...quotaHeaders(call.quota), ...answer.headers } };
  }
}

/** A request by REST. */
class RestCall extends OperationCall<HttpRequest> {
  declare readonly endpoint: RestEndpoint;

  override authenticate(): Maybe<Caller | ServiceCaller> {
    const { authenticator, serviceTokens } = this.endpoint;
    const authorization = this.header('authorization');
    const name = serviceTokens?.find(authorization);
    if (name !== undefined) return { type: 'service', name };
    return authenticator.authenticate(authorization, this);
  }

  override readParts(): Parts {
    const { caller } = this;
    return this.endpoint.parts.read(this.source, caller?.type === 'key' ? caller : undefined);
  }

  protected override get bodyBytes(): number {
    return this.source.body.length;
  }

  override readKey(): string | undefined {
    return parseKey(this.header('idempotency-key'), this.endpoint.operation.idempotency === 'required');
  }
}

/** What every charged answer tells: whole requests, and whole seconds rounded up. */
function quotaHeaders(quota: Quota): Record<string, string> {
  return {
    'X-RateLimit-Limit': String(quota.limit),
    'X-RateLimit-Remaining': String(Math.max(0, quota.remaining)),
    'X-RateLimit-Reset': String(Math.max(0, Math.ceil(quota.resetSeconds))),
  };
}

/**
 * For `HttpServer.unrouted`: a request to a path that does not exist, or with a method that the path does not have, is charged to its
 * address. The answer gets the headers of the bucket, or is a 429.
 */
export function chargeUnrouted(
  limiter: Pick<RateLimiter, 'chargeAnonymous'>,
  docsUrl: string,
): (request: HttpRequest, answer: () => HttpAnswer) => Maybe<HttpAnswer> {
  return (request, answer) =>
    chain(limiter.chargeAnonymous(request.address), quota => {
      const headers = quotaHeaders(quota);
      if (!quota.allowed) return errorAnswer(quotaExceeded(quota), request.requestId, docsUrl, headers);
      const given = answer();
      return { ...given, headers: { ...headers, ...given.headers } };
    });
}

/** The answers of a node by operation and status, and how long they took; shown in the registry. */
export class AnswerMetrics {
  /** From the end of a request's body to its answer, in milliseconds. */
  readonly #durations = new HistogramBuckets([
    0.25, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 5_000, 10_000,
  ]);
  readonly #answers = new Map<string, Map<number, number>>();

  readonly #refusals: CountsBy;

  constructor(registry: Registry) {
    const answers = this.#answers;
    this.#refusals = new CountsBy(
      registry,
      'skein_rest_refusals_total',
      'Requests refused by the code of the error',
      'code',
    );
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

  countRefusal(code: string): void {
    this.#refusals.add(code);
  }

  /** @param traceparent undefined: the request's trace is not kept */
  count(operationId: string, status: number, durationMs: number, traceparent?: string): void {
    this.#durations.observe(durationMs, traceparent);
    let byStatus = this.#answers.get(operationId);
    if (byStatus === undefined) this.#answers.set(operationId, (byStatus = new Map()));
    byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
  }
}
