/**
 * The HTTP client of a worker: signs, sends, reads the answer and keeps its beginning. Many requests are in flight at once; each has
 * its own deadline, and none waits for another's.
 *
 *   queued -> started      it has a connection, and its bytes go out
 *   started -> answering   the status has arrived
 *   any -> settled         once: by the end of the answer, an error, its deadline, or cancellation
 *
 * undici's own timers are off, because they limit phases and our deadline limits the whole.
 */
import { LRUCache } from 'lru-cache';
import type { Dispatcher } from 'undici';
import { signedBody } from '../../protocol/signature.ts';
import { AddressGuard, getUrlRefusal, type Reach } from './address-guard.ts';
import { Connections, type AnswerHandler } from './connections.ts';
import { createGuardedConnector, createResolver } from './connector.ts';
import {
  OutboundFailure,
  type OutboundOptions,
  type OutboundRequest,
  type OutboundResult,
} from './request.ts';

const defaultConnectTimeoutMs = 5_000;
const defaultTimeoutMs = 15_000;
const defaultKeepBytes = 16_384;
/** A body that exceeds the kept part by this much is not read to its end: the connection is given up. */
const maxDiscardedBytes = 65_536;
/** URLs whose verdict is remembered. */
const maxTargets = 1_000;

/** A URL, parsed and judged. */
interface Target {
  readonly origin: string;
  readonly path: string;
  /** Why nothing is sent to it. */
  readonly refusal: string | undefined;
}

export class OutboundClient {
  readonly #reach: Reach;
  readonly #connections: Connections;
  readonly #targets = new LRUCache<string, Target>({ max: maxTargets });

  constructor(options: OutboundOptions) {
    this.#reach = options.reach ?? 'public';
    const resolve = createResolver({
      askSystem: this.#reach !== 'public',
      ...(options.nameServers === undefined ? {} : { servers: options.nameServers }),
    });
    this.#connections = new Connections(
      createGuardedConnector({
        guard: new AddressGuard(this.#reach, resolve, options.ownPorts),
        connectTimeoutMs: options.connectTimeoutMs ?? defaultConnectTimeoutMs,
        ...(options.ca === undefined ? {} : { ca: options.ca }),
      }),
    );
  }

  /** Starts a request and calls `done` once with its result. The returned function cancels the request. */
  send(request: OutboundRequest, done: (result: OutboundResult) => void): () => void {
    const call = new OutboundCall(request, done);
    const target = this.#getTarget(request);
    if (target.refusal !== undefined) {
      call.fail(new OutboundFailure('blocked_address', target.refusal));
    } else {
      this.#dispatch(target, request, call);
    }
    return () => call.fail(new OutboundFailure('timeout', 'cancelled'));
  }

  #getTarget({ url: text, httpsOnly = false }: OutboundRequest): Target {
    const key = httpsOnly ? `https only ${text}` : text;
    const known = this.#targets.get(key);
    if (known !== undefined) return known;
    const url = URL.parse(text);
    const target: Target =
      url === null
        ? { origin: '', path: '', refusal: 'the address is not a URL' }
        : {
            origin: url.origin,
            path: url.pathname + url.search,
            refusal: getUrlRefusal(url, { reach: this.#reach, httpsOnly }),
          };
    this.#targets.set(key, target);
    return target;
  }

  #dispatch({ origin, path }: Target, request: OutboundRequest, call: OutboundCall): void {
    const { method, sign } = request;
    const headers: string[] = [];
    for (const name in request.headers) headers.push(name, request.headers[name] ?? '');
    let body: string | Buffer | null = request.body ?? null;
    if (sign !== undefined) {
      const whole = sign.coversRequest ? { method, target: path, headers: request.headers } : undefined;
      const signed = signedBody(sign.secrets, sign.id, Math.floor(call.at / 1_000), body ?? '', whole);
      headers.push(...signed.headers);
      ({ body } = signed);
    }
    // What undici refuses (malformed headers) it reports to the call.
    this.#connections.dispatch(origin, { path, method, headers, body }, call);
  }

  /** Lets what is in flight finish, then closes the connections. */
  async close(): Promise<void> {
    await this.#connections.close();
  }
}

class OutboundCall implements AnswerHandler {
  releaseConnection: ((answered: boolean) => void) | undefined = undefined;
  /** When it was sent, in epoch milliseconds. */
  readonly at: number;
  readonly #started = performance.now();
  readonly #keepBytes: number;
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
    const timeoutMs = request.timeoutMs ?? defaultTimeoutMs;
    this.at = request.at ?? Date.now();
    this.#done = done;
    this.#keepBytes = request.keepBytes ?? defaultKeepBytes;
    this.#timer = setTimeout(() => {
      this.fail(new OutboundFailure('timeout', `no complete answer within ${timeoutMs / 1_000} s`));
    }, timeoutMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#settled) this.#abort();
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (status < 200) return;
    this.#status = status;
    this.#contentType = getFirst(headers['content-type']);
    this.#retryAfter = getFirst(headers['retry-after']);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#read += chunk.length;
    if (this.#kept < this.#keepBytes) {
      const part = chunk.subarray(0, this.#keepBytes - this.#kept);
      this.#chunks.push(part);
      this.#kept += part.length;
    }
    if (this.#read > this.#keepBytes + maxDiscardedBytes) {
      this.#answer();
      this.#abort();
    }
  }

  onResponseEnd(): void {
    this.#answer();
    this.releaseConnection?.(true);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(OutboundFailure.from(error, 'connect'));
    this.releaseConnection?.(false);
  }

  get isSettled(): boolean {
    return this.#settled;
  }

  fail(error: OutboundFailure): void {
    this.#settle({ ...this.#times(), failure: error.failure, error: error.message });
    this.#abort();
  }

  /** Frees the connection of a request that is still in flight. */
  #abort(): void {
    this.#controller?.abort(new OutboundFailure('timeout', 'abandoned'));
  }

  #answer(): void {
    this.#settle({
      ...this.#times(),
      status: this.#status,
      body: this.#kept === 0 ? '' : Buffer.concat(this.#chunks).toString('utf8'),
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

function getFirst(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
