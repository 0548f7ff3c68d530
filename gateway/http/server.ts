/**
 * The HTTP and websocket server: the only wrapper around uWebSockets.js, so that nothing else has to know its
 * pitfalls (see headers.ts, exchange.ts, websocket.ts). Routes and endpoints are registered before `listen`, or while it is held.
 *
 * States: being set up -> listening -> draining -> closed.
 */
import { setImmediate as turn } from 'node:timers/promises';
import * as uws from 'uWebSockets.js';
import { ServiceError } from '../../protocol/errors.ts';
import type { Log } from '../../runtime/observability/index.ts';
import { errorAnswer, type HttpAnswer, type HttpHandler, type HttpRequest } from './message.ts';
import type { Cors } from './cors.ts';
import { createRouteCallback } from './exchange.ts';
import { createAddressFinder, ResponseHead, type TrustedProxies } from './headers.ts';
import { parsePattern, type BodyAdmission, type Pattern, type Route } from './route.ts';
import { Traffic, type TrafficLimits, type TrafficStats } from './traffic.ts';
import { createBehaviour, type OpenSockets, type SocketEndpoint, type SocketSession } from './websocket.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface HttpServerOptions extends Partial<TrafficLimits> {
  readonly log: Log;
  /** Where errors are documented, without a slash at its end. */
  readonly docsUrl: string;
  /** Whether clients reach this server by https; default false. */
  readonly https?: boolean;
  /** Reverse proxies that append to X-Forwarded-For. Default: 0. */
  readonly trustedProxies?: TrustedProxies;
  /** Whether each request is logged, at level `debug`; default false. */
  readonly logsRequests?: boolean;
  /** The pages of other origins that may read answers; default: none. */
  readonly cors?: Cors | undefined;
  /** Longest body taken by routes that do not say otherwise, in bytes. Default 1,048,576. */
  readonly maxBodyBytes?: number;
}

export interface RouteOptions {
  /** Whether the handler gets the body; default: POST, PUT and PATCH do. */
  readonly readsBody?: boolean;
  /** Longest body taken, in bytes; a longer one is 413. */
  readonly maxBodyBytes?: number;
  /** Whether the handler gets the body as it arrives, in `request.incoming`; default: it gets the whole body. */
  readonly streamsBody?: boolean;
  /** Whether the handler may answer with a stream (`HttpAnswer.outgoing`): its requests are counted then. Default: it may not. */
  readonly streamsAnswer?: boolean;
  /**
   * Asked with the head of a request before its body is streamed, and before more than 16 KiB of any other body are taken; what it
   * returns is the answer, and the body is not taken. Default: every body is.
   */
  readonly admitBody?: BodyAdmission;
  /** Whether the handler answers requests whose body is too large as well, with `request.refused`; default: the server does. */
  readonly answersRefused?: boolean;
  /** Whether it is served while the server is held, too; default: it is not. */
  readonly always?: boolean;
}

/**
 * A client that got its answer a moment ago may have sent its next request already, which we have not read: closing now would leave
 * it without an answer. This long after the last answer no request is in transit, except from a client that was idle. Milliseconds: two
 * ways across the world, and what a busy client needs to go on (250 were too few for one that shared its processors with two busy loops).
 */
const lingerMs = 1_000;

/** What routes have in common that read no body. */
const bodilessRoute = {
  readsBody: false,
  maxBodyBytes: 0,
  streamsBody: false,
  streamsAnswer: false,
  admitBody: undefined,
  answersRefused: false,
  always: false,
  headOnly: false,
} as const;

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
        maxStreams: options.maxStreams ?? 64,
        maxStreamsPerAddress: options.maxStreamsPerAddress ?? 16,
        maxDownloads: options.maxDownloads ?? 512,
        maxDownloadsPerAddress: options.maxDownloadsPerAddress ?? 64,
        maxSlowAnswersPerAddress: options.maxSlowAnswersPerAddress ?? 512,
        maxSlowBodiesPerAddress: options.maxSlowBodiesPerAddress ?? 512,
        uploadDeadlineMs: options.uploadDeadlineMs ?? 30_000,
        discardDeadlineMs: options.discardDeadlineMs ?? 5_000,
        answerDeadlineMs: options.answerDeadlineMs ?? 30_000,
        transferDeadlineMs: options.transferDeadlineMs ?? 300_000,
      },
      {
        log: options.log,
        head: new ResponseHead(options.https ?? false),
        docsUrl: options.docsUrl,
        findAddress: createAddressFinder(options.trustedProxies ?? 0),
        logsRequests: options.logsRequests ?? false,
        cors: options.cors,
      },
    );
  }

  /** What is in progress now. */
  get stats(): TrafficStats {
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
    const pattern = parsePattern(path);
    const route: Route = {
      handler,
      method,
      pattern: path,
      paramCount: pattern.paramCount,
      readsBody: options.readsBody ?? (method !== 'GET' && method !== 'DELETE'),
      maxBodyBytes: options.maxBodyBytes ?? this.#maxBodyBytes,
      streamsBody: options.streamsBody ?? false,
      streamsAnswer: options.streamsAnswer ?? false,
      admitBody: options.admitBody,
      answersRefused: options.answersRefused ?? false,
      always: options.always ?? false,
      headOnly: false,
    };
    this.#app[registrars[method]](pattern.uws, createRouteCallback(this.#traffic, route));
    this.#allow(pattern, method);
    if (method !== 'GET') return;
    const head: Route = { ...route, headOnly: true };
    this.#app.head(pattern.uws, createRouteCallback(this.#traffic, head));
    this.#allow(pattern, 'HEAD');
  }

  /** Registers a websocket endpoint; a plain GET of its path is answered 426. */
  websocket<Session extends SocketSession>(path: string, endpoint: SocketEndpoint<Session>): void {
    const pattern = parsePattern(path);
    const route: Route = {
      ...bodilessRoute,
      handler: upgradeRequired(this.#traffic.docsUrl),
      method: 'GET',
      pattern: path,
      paramCount: pattern.paramCount,
    };
    this.#app.ws(pattern.uws, createBehaviour(endpoint, route, this.#traffic, this.#sockets));
    this.#hasSockets = true;
    this.route('GET', path, route.handler);
  }

  /** From now on `by` answers what no route takes: it gets the request, and the answer that would be given. */
  unrouted(by: (request: HttpRequest, answer: () => HttpAnswer) => HttpAnswer | Promise<HttpAnswer>): void {
    this.#unroutedBy = by;
  }

  /** Until `release`, only the routes that are `always` served are; the others answer 503 with Retry-After. */
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
    this.#routeRest();
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
   * Drains: stops accepting, closes the websockets (1001), lets answers in flight finish for at most `deadlineMs`, then
   * closes every connection. A request in transit on an open connection is still served. Idempotent.
   */
  close(deadlineMs: number): Promise<void> {
    this.#closing ??= this.#drain(deadlineMs);
    return this.#closing;
  }

  async #drain(deadlineMs: number): Promise<void> {
    // Connections that the kernel has made and that were not accepted yet are reset when the listener closes.
    await polled();
    if (this.#listening !== undefined) uws.us_listen_socket_close(this.#listening);
    this.#listening = undefined;
    // Not before: a client that is sent away connects again, and must be refused, not reset.
    this.#traffic.draining = true;
    for (const socket of [...this.#sockets]) socket.end(1001, 'going away');
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>(resolve => (timer = setTimeout(resolve, deadlineMs)));
    await Promise.race([this.#quiet(), late]);
    clearTimeout(timer);
    this.#app.close();
    this.#traffic.uploads.clear();
    this.#traffic.discards.clear();
    this.#traffic.answers.clear();
    this.#traffic.transfers.clear();
  }

  /** Resolves when all requests are answered and no new one has come for a while. */
  async #quiet(): Promise<void> {
    let before: number;
    do {
      await this.#traffic.idle();
      before = this.#traffic.entered;
      await new Promise(resolve => setTimeout(resolve, lingerMs));
      await polled();
    } while (this.#traffic.entered !== before);
  }

  /** What no route takes. */
  #routeRest(): void {
    const route: Route = {
      ...bodilessRoute,
      handler: request =>
        this.#traffic.cors?.preflight(request) ?? this.#unroutedBy(request, () => this.#unrouted(request)),
      method: '',
      pattern: '/*',
      paramCount: 0,
    };
    this.#app.any('/*', (res, req) => {
      createRouteCallback(this.#traffic, { ...route, method: req.getMethod().toUpperCase() })(res, req);
    });
    this.#app.head('/*', createRouteCallback(this.#traffic, { ...route, method: 'HEAD', headOnly: true }));
  }

  #allow(pattern: Pattern, method: string): void {
    const known = this.#patterns.get(pattern.uws);
    if (known === undefined) this.#patterns.set(pattern.uws, { pattern, methods: new Set([method]) });
    else known.methods.add(method);
  }

  // Slow, and only for what no route takes: 404, 405 or OPTIONS.
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
 * Resolves when everything that has arrived has been read. A process that was held up runs its timers first, and would close
 * connections although their requests have long arrived.
 */
async function polled(): Promise<void> {
  // The first turn may come before the sockets are polled, when it was requested by a callback of a socket.
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

/** Keeps the server software and its version out of answers: a setting of the process that the declarations lack. */
function silence(): void {
  (uws as unknown as { readonly _cfg: (setting: string) => void })._cfg('silent');
}
