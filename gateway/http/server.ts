/**
 * The HTTP and websocket server: the only wrapper around uWebSockets.js, and the reason why nothing else has to know its
 * traps (see framing.ts, exchange.ts, endpoint.ts). Routes and endpoints are registered before `listen`, or while it is held.
 *
 * States: being set up, listening, draining, closed; each only forward.
 */
import { setImmediate as turn } from 'node:timers/promises';
import * as uws from 'uWebSockets.js';
import { ServiceError } from '../../protocol/errors.ts';
import type { Log } from '../../runtime/log.ts';
import { behaviourOf, type OpenSockets } from './endpoint.ts';
import { errorAnswer } from './error-answer.ts';
import { Exchange } from './exchange.ts';
import type { HttpAnswer, HttpHandler, HttpRequest } from './message.ts';
import { ResponseHead } from './response-head.ts';
import { type Pattern, patternOf } from './pattern.ts';
import type { Route } from './route.ts';
import type { SocketEndpoint, SocketSession } from './socket.ts';
import { Traffic, type TrafficLimits } from './traffic.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface HttpServerOptions extends Partial<TrafficLimits> {
  readonly log: Log;
  /** Where errors are documented, without a slash at its end. */
  readonly docsUrl: string;
  /** Whether clients reach this server by https; default false. */
  readonly https?: boolean;
  /** Reverse proxies of ours before this server, each appending to X-Forwarded-For; default 0. */
  readonly trustedProxies?: number;
  /** Longest body taken by routes that do not say otherwise, in bytes. Default 1,048,576. */
  readonly maxBodyBytes?: number;
}

export interface RouteOptions {
  /** Whether the handler gets the body; default: POST, PUT and PATCH do. */
  readonly readsBody?: boolean;
  /** Longest body taken, in bytes; a longer one is 413. */
  readonly maxBodyBytes?: number;
  /** Whether the handler gets the body as it arrives, in `request.incoming`; default: it gets the whole. */
  readonly streamsBody?: boolean;
  /** Whether the handler answers requests whose body is too large as well, with `request.refused`; default: the server does. */
  readonly answersRefused?: boolean;
  /** Whether it is served while the server is held, too; default: it is not. */
  readonly always?: boolean;
}

/**
 * A client that has had its answer a moment ago may have sent the next request already, unread by us: closing now would leave
 * it without an answer. This long after the last answer none is on its way, but for a client that was idle.
 */
const lingerMs = 250;

const registrars = { GET: 'get', POST: 'post', PUT: 'put', PATCH: 'patch', DELETE: 'del' } as const;

export class HttpServer {
  readonly #app = uws.App();
  readonly #traffic: Traffic;
  readonly #maxBodyBytes: number;
  readonly #sockets: OpenSockets = new Set();
  /** For the fallback: which methods a path has. */
  readonly #patterns = new Map<string, { readonly pattern: Pattern; readonly methods: Set<string> }>();
  #hasSockets = false;
  #unroutedBy: (request: HttpRequest, answer: () => HttpAnswer) => HttpAnswer | Promise<HttpAnswer> = (
    _,
    answer,
  ) => answer();
  #listening: uws.us_listen_socket | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: HttpServerOptions) {
    silence();
    this.#maxBodyBytes = options.maxBodyBytes ?? 1_048_576;
    this.#traffic = new Traffic(
      {
        maxInFlight: options.maxInFlight ?? 20_000,
        maxBodyBytesInFlight: options.maxBodyBytesInFlight ?? 268_435_456,
        uploadDeadlineMs: options.uploadDeadlineMs ?? 30_000,
        answerDeadlineMs: options.answerDeadlineMs ?? 30_000,
        transferDeadlineMs: options.transferDeadlineMs ?? 300_000,
      },
      {
        log: options.log,
        head: new ResponseHead(options.https ?? false),
        docsUrl: options.docsUrl,
        trustedProxies: options.trustedProxies ?? 0,
      },
    );
  }

  /** What is under way now. */
  get stats(): { readonly inFlight: number; readonly bodyBytes: number; readonly sockets: number } {
    return {
      inFlight: this.#traffic.inFlight,
      bodyBytes: this.#traffic.bodyBytes,
      sockets: this.#sockets.size,
    };
  }

  /**
   * Registers a handler. In the path, `{name}` stands for one segment, which is handed over in `request.params`; a last
   * segment `*` stands for any rest. Literal segments win over parameters. GET serves HEAD too.
   */
  route(method: Method, path: string, handler: HttpHandler, options: RouteOptions = {}): void {
    const pattern = patternOf(path);
    const route: Route = {
      handler,
      method,
      pattern: path,
      paramCount: pattern.paramCount,
      readsBody: options.readsBody ?? (method !== 'GET' && method !== 'DELETE'),
      maxBodyBytes: options.maxBodyBytes ?? this.#maxBodyBytes,
      streamsBody: options.streamsBody ?? false,
      answersRefused: options.answersRefused ?? false,
      always: options.always ?? false,
      headOnly: false,
    };
    this.#app[registrars[method]](pattern.uws, (res, req) => this.#serve(route, res, req));
    this.#allow(pattern, method);
    if (method !== 'GET') return;
    const head: Route = { ...route, headOnly: true };
    this.#app.head(pattern.uws, (res, req) => this.#serve(head, res, req));
    this.#allow(pattern, 'HEAD');
  }

  /** Registers a websocket endpoint; a plain GET of its path is answered 426. */
  websocket<Session extends SocketSession>(path: string, endpoint: SocketEndpoint<Session>): void {
    const pattern = patternOf(path);
    const route: Route = {
      handler: upgradeRequired(this.#traffic.docsUrl),
      method: 'GET',
      pattern: path,
      paramCount: pattern.paramCount,
      readsBody: false,
      maxBodyBytes: 0,
      streamsBody: false,
      answersRefused: false,
      always: false,
      headOnly: false,
    };
    this.#app.ws(pattern.uws, behaviourOf(endpoint, route, this.#traffic, this.#sockets));
    this.#hasSockets = true;
    this.route('GET', path, route.handler);
  }

  /** From now on `by` answers what no route takes: it is given the request and the answer that is due. */
  unrouted(by: (request: HttpRequest, answer: () => HttpAnswer) => HttpAnswer | Promise<HttpAnswer>): void {
    this.#unroutedBy = by;
  }

  /** From now on, until `release`, only routes that are `always` served are; the others answer 503 with Retry-After. */
  hold(): void {
    this.#traffic.held = true;
  }

  release(): void {
    this.#traffic.held = false;
  }

  /** Sends a text frame to every socket that is subscribed to the topic. */
  publish(topic: string, text: string): void {
    // Before any endpoint exists, publishing crashes this version.
    if (this.#hasSockets && this.#closing === undefined) this.#app.publish(topic, text);
  }

  /** Starts to accept; resolves to the port, rejects when it is taken. `port` 0: any free one. */
  listen(host: string, port: number): Promise<number> {
    const fallback: Route = {
      handler: request => this.#unroutedBy(request, () => this.#unrouted(request)),
      method: '',
      pattern: '/*',
      paramCount: 0,
      readsBody: false,
      maxBodyBytes: 0,
      streamsBody: false,
      answersRefused: false,
      always: false,
      headOnly: false,
    };
    this.#app.any('/*', (res, req) =>
      this.#serve({ ...fallback, method: req.getMethod().toUpperCase() }, res, req),
    );
    this.#app.head('/*', (res, req) =>
      this.#serve({ ...fallback, method: 'HEAD', headOnly: true }, res, req),
    );
    return new Promise((resolve, reject) => {
      exclusively(this.#app).listen(host, port, exclusivePort, socket => {
        if (socket === false) {
          reject(new Error(`cannot listen on ${host}:${port}: the port is taken or the address is not ours`));
          return;
        }
        this.#listening = socket;
        resolve(uws.us_socket_local_port(socket as uws.us_socket));
      });
    });
  }

  /**
   * Drains: stops accepting, sends the sockets away (1001), lets answers in flight finish for `deadlineMs` at most, then
   * closes every connection. A request that was on its way on an open connection is served like those before it. Idempotent.
   */
  close(deadlineMs: number): Promise<void> {
    this.#closing ??= this.#drain(deadlineMs);
    return this.#closing;
  }

  async #drain(deadlineMs: number): Promise<void> {
    // Connections that the kernel has made, and nobody has accepted, are reset with the listener.
    await polled();
    if (this.#listening !== undefined) uws.us_listen_socket_close(this.#listening);
    this.#listening = undefined;
    // Not before: whoever is sent away connects again, and is to be refused, not reset.
    this.#traffic.draining = true;
    for (const socket of [...this.#sockets]) socket.end(1001, 'going away');
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>(resolve => (timer = setTimeout(resolve, deadlineMs)));
    await Promise.race([this.#quiet(), late]);
    clearTimeout(timer);
    this.#app.close();
    this.#traffic.uploads.clear();
    this.#traffic.answers.clear();
    this.#traffic.transfers.clear();
  }

  /** Resolves when all is answered and nothing more has come for a while. */
  async #quiet(): Promise<void> {
    let before: number;
    do {
      await this.#traffic.idle();
      before = this.#traffic.entered;
      await new Promise(resolve => setTimeout(resolve, lingerMs));
      await polled();
    } while (this.#traffic.entered !== before);
  }

  #serve(route: Route, res: uws.HttpResponse, req: uws.HttpRequest): void {
    try {
      new Exchange(this.#traffic, route, res, req).start();
    } catch (error) {
      this.#traffic.log.error({ err: error }, 'request could not be started');
      res.close();
    }
  }

  #allow(pattern: Pattern, method: string): void {
    const known = this.#patterns.get(pattern.uws);
    if (known === undefined) this.#patterns.set(pattern.uws, { pattern, methods: new Set([method]) });
    else known.methods.add(method);
  }

  // Slow, and only for what no route took: 404, 405 or OPTIONS.
  #unrouted(request: HttpRequest): HttpAnswer {
    const allowed = new Set<string>();
    for (const { pattern, methods } of this.#patterns.values()) {
      if (pattern.matches(request.path)) for (const method of methods) allowed.add(method);
    }
    const docsUrl = this.#traffic.docsUrl;
    if (allowed.size === 0) {
      return errorAnswer(new ServiceError('svc/runtime/not_found'), request.requestId, docsUrl);
    }
    const headers = { Allow: [...allowed, 'OPTIONS'].sort().join(', ') };
    if (request.method === 'OPTIONS') return { status: 204, headers };
    const wrongMethod = new ServiceError('svc/runtime/invalid_request', {
      http: 405,
      message: `${request.method} is not allowed here.`,
    });
    return errorAnswer(wrongMethod, request.requestId, docsUrl, headers);
  }
}

/**
 * Resolves when all that has arrived has been read. A process that was held up runs its timers first, and would close connections
 * on requests that have long been there.
 */
async function polled(): Promise<void> {
  // The first may come without a look at the sockets in between, when it was asked for by what was read from one.
  await turn();
  await turn();
}

function upgradeRequired(docsUrl: string): HttpHandler {
  const error = new ServiceError('svc/runtime/invalid_request', {
    http: 426,
    message: 'This is a websocket endpoint.',
  });
  return request =>
    errorAnswer(error, request.requestId, docsUrl, { Upgrade: 'websocket', Connection: 'Upgrade' });
}

/** LIBUS_LISTEN_EXCLUSIVE_PORT, which the declarations have under a name that does not exist at run time. */
const exclusivePort = 1;

/** The declarations lack the variant of `listen` with host and options, without which two processes share a port. */
interface ExclusiveListener {
  listen(
    host: string,
    port: number,
    options: number,
    done: (socket: uws.us_listen_socket | false) => void,
  ): void;
}

function exclusively(app: uws.TemplatedApp): ExclusiveListener {
  return app as unknown as ExclusiveListener;
}

/** Answers do not name the server software and its version; a setting of the process that the declarations lack. */
function silence(): void {
  (uws as unknown as { readonly _cfg: (setting: string) => void })._cfg('silent');
}
