/**
 * The HTTP client of a worker: signs, sends, reads the answer, keeps its beginning. Many requests are in flight at once;
 * each has its own deadline, and none waits for another's.
 *
 * A request is: waiting (for a connection), started (its bytes go out), answering (the status is in), settled. It settles
 * exactly once: with the end of the answer, with an error, with its deadline, or with cancellation. undici's own timers
 * are off, because the deadline is for all of it and not for its phases.
 */
import { Agent, type Dispatcher } from 'undici';
import { signatureHeaders } from '../../protocol/signature.ts';
import { AddressGuard, refusalOf, type Reach } from './address-guard.ts';
import { guardedConnector } from './connector.ts';
import { OutboundFailure } from './failure.ts';
import type { OutboundOptions, OutboundRequest, OutboundResult } from './messages.ts';
import { resolver } from './resolver.ts';

/** A body that goes on for this long beyond what is kept is not read to its end: the connection is given up. */
const patienceBytes = 65_536;
/** A connection serves at most this long, so that a changed record is followed. */
const connectionLifeMs = 300_000;
/** Connections to one origin from one worker; a further request waits for one of them. */
const connectionsPerOrigin = 256;

export class Outbound {
  readonly #reach: Reach;
  readonly #agent: Agent;

  constructor(options: OutboundOptions) {
    this.#reach = options.reach ?? 'public';
    const resolve = resolver({
      askSystem: this.#reach !== 'public',
      ...(options.nameServers === undefined ? {} : { servers: options.nameServers }),
    });
    this.#agent = new Agent({
      connect: guardedConnector({
        guard: new AddressGuard(this.#reach, resolve),
        connectTimeoutMs: options.connectTimeoutMs ?? 5_000,
        ...(options.ca === undefined ? {} : { ca: options.ca }),
      }),
      connections: connectionsPerOrigin,
      clientTtl: connectionLifeMs,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /** Starts a request; `done` is called once, with what came of it. The returned function cancels. */
  send(request: OutboundRequest, done: (result: OutboundResult) => void): () => void {
    const exchange = new Exchange(request, done);
    const url = URL.parse(request.url);
    const refusal =
      url === null
        ? 'the address is not a URL'
        : refusalOf(url, { reach: this.#reach, httpsOnly: request.httpsOnly ?? false });
    if (url === null || refusal !== undefined) {
      exchange.fail(new OutboundFailure('blocked_address', refusal ?? ''));
    } else {
      this.#dispatch(url, request, exchange);
    }
    return () => exchange.fail(new OutboundFailure('timeout', 'cancelled'));
  }

  #dispatch(url: URL, request: OutboundRequest, exchange: Exchange): void {
    const headers = { ...request.headers };
    if (request.sign !== undefined) {
      const { secrets, id } = request.sign;
      const timestamp = Math.floor(exchange.at / 1_000);
      Object.assign(headers, signatureHeaders(secrets, id, timestamp, request.body ?? ''));
    }
    try {
      this.#agent.dispatch(
        {
          origin: url.origin,
          path: url.pathname + url.search,
          method: request.method,
          headers,
          body: request.body ?? null,
        },
        exchange,
      );
    } catch (error) {
      // undici refuses malformed headers by throwing.
      exchange.fail(OutboundFailure.of(error, 'connect'));
    }
  }

  /** Lets what is in flight finish, then closes the connections. */
  async close(): Promise<void> {
    await this.#agent.close();
  }
}

class Exchange implements Dispatcher.DispatchHandler {
  readonly at = Date.now();
  readonly #started = performance.now();
  readonly #keep: number;
  readonly #timer: NodeJS.Timeout;
  readonly #done: (result: OutboundResult) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #settled = false;
  #status = 0;
  #chunks: Buffer[] = [];
  #kept = 0;
  #read = 0;
  #contentType: string | undefined;
  #retryAfter: string | undefined;

  constructor(request: OutboundRequest, done: (result: OutboundResult) => void) {
    const timeoutMs = request.timeoutMs ?? 15_000;
    this.#done = done;
    this.#keep = request.keepBytes ?? 16_384;
    this.#timer = setTimeout(() => {
      this.fail(new OutboundFailure('timeout', `no complete answer within ${timeoutMs / 1_000} s`));
    }, timeoutMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#settled) this.#giveUp();
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (status < 200) return;
    this.#status = status;
    this.#contentType = single(headers['content-type']);
    this.#retryAfter = single(headers['retry-after']);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#read += chunk.length;
    if (this.#kept < this.#keep) {
      const part = chunk.subarray(0, this.#keep - this.#kept);
      this.#chunks.push(part);
      this.#kept += part.length;
    }
    if (this.#read > this.#keep + patienceBytes) {
      this.#answer();
      this.#giveUp();
    }
  }

  onResponseEnd(): void {
    this.#answer();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(OutboundFailure.of(error, 'connect'));
  }

  fail(error: OutboundFailure): void {
    this.#settle({ ...this.#times(), failure: error.failure, error: error.message });
    this.#giveUp();
  }

  /** Frees the connection of a request that goes on; does nothing to one that has ended. */
  #giveUp(): void {
    this.#controller?.abort(new OutboundFailure('timeout', 'given up'));
  }

  #answer(): void {
    this.#settle({
      ...this.#times(),
      status: this.#status,
      body: Buffer.concat(this.#chunks).toString('utf8'),
      ...(this.#read > this.#kept ? { truncated: true } : {}),
      ...(this.#contentType === undefined ? {} : { contentType: this.#contentType }),
      ...(this.#retryAfter === undefined ? {} : { retryAfter: this.#retryAfter }),
    });
  }

  #times(): { at: number; durationMs: number } {
    return { at: this.at, durationMs: Math.round(performance.now() - this.#started) };
  }

  #settle(result: OutboundResult): void {
    if (this.#settled) return;
    this.#settled = true;
    clearTimeout(this.#timer);
    this.#chunks = [];
    this.#done(result);
  }
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
