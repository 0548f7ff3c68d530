/**
 * The HTTP client of a worker: signs, sends, reads the answer and keeps its beginning. Many requests are in flight at once; each has
 * its own deadline, and none waits for another's.
 *
 *   queued -> started      it has a connection: it is signed, its bytes go out, and its time runs
 *   started -> answering   the status has arrived
 *   any -> settled         once: by the end of the answer, an error, its deadline, or cancellation
 *
 * undici's own timers are off, because they limit phases and our deadline limits the whole.
 */
import { LRUCache } from 'lru-cache';
import type { Dispatcher } from 'undici';
import { signedBody } from '../../protocol/signature.ts';
import { AddressGuard, getUrlRefusal, type Reach } from './address-guard.ts';
import { BodyFile } from './body-file.ts';
import { Connections, type Call } from './connections.ts';
import { createGuardedConnector, createResolver } from './connector.ts';
import {
  OutboundFailure,
  type OutboundOptions,
  type OutboundRequest,
  type OutboundResult,
  type SavedBody,
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
  readonly #options: OutboundOptions;
  readonly #reach: Reach;
  /** By sort: those of another reach are never shared, and those of another sort neither, so that none waits for another's. */
  readonly #connections: Map<Reach, Connections>[] = [];
  readonly #targets = new LRUCache<string, Target>({ max: maxTargets });

  constructor(options: OutboundOptions) {
    this.#options = options;
    this.#reach = options.reach ?? 'public';
  }

  #getConnections(reach: Reach, sort: number): Connections {
    const ofSort = (this.#connections[sort] ??= new Map<Reach, Connections>());
    let connections = ofSort.get(reach);
    if (connections === undefined) {
      const { nameServers, ownPorts, connectTimeoutMs = defaultConnectTimeoutMs, ca } = this.#options;
      const resolve = createResolver({
        askSystem: reach !== 'public',
        ...(nameServers === undefined ? {} : { servers: nameServers }),
      });
      const guard = new AddressGuard(reach, resolve, ownPorts);
      const trust = ca === undefined ? {} : { ca };
      connections = new Connections(createGuardedConnector({ guard, connectTimeoutMs, ...trust }));
      ofSort.set(reach, connections);
    }
    return connections;
  }

  /** Starts a request and calls `done` once with its result. The returned function cancels the request. */
  send(request: OutboundRequest, done: (result: OutboundResult) => void): () => void {
    const target = this.#getTarget(request);
    const call = new OutboundCall(request, target.path, done);
    if (target.refusal !== undefined) {
      call.fail(new OutboundFailure('blocked_address', target.refusal));
    } else {
      // What undici refuses (malformed headers) it reports to the call.
      this.#getConnections(request.reach ?? this.#reach, request.sort ?? 0).dispatch(target.origin, call);
    }
    return () => call.fail(new OutboundFailure('timeout', 'cancelled'));
  }

  #getTarget({ url: text, httpsOnly = false, reach = this.#reach }: OutboundRequest): Target {
    const key = `${httpsOnly ? 'https' : 'any'} ${reach} ${text}`;
    const known = this.#targets.get(key);
    if (known !== undefined) return known;
    const url = URL.parse(text);
    const target: Target =
      url === null
        ? { origin: '', path: '', refusal: 'the address is not a URL' }
        : {
            origin: url.origin,
            path: url.pathname + url.search,
            refusal: getUrlRefusal(url, { reach, httpsOnly }),
          };
    this.#targets.set(key, target);
    return target;
  }

  /** Lets what is in flight finish, then closes the connections. */
  async close(): Promise<void> {
    const all = this.#connections.flatMap(ofSort => [...ofSort.values()]);
    await Promise.all(all.map(connections => connections.close()));
  }
}

class OutboundCall implements Call {
  releaseConnection: ((answered: boolean) => void) | undefined = undefined;
  readonly #request: OutboundRequest;
  readonly #path: string;
  readonly #keepBytes: number;
  readonly #done: (result: OutboundResult) => void;
  /** When it was sent, in epoch milliseconds. */
  #at: number;
  #started = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #settled = false;
  #status = 0;
  #chunks: Buffer[] = [];
  /** In the place of chunks. */
  #file: BodyFile | undefined;
  #kept = 0;
  #read = 0;
  #contentType: string | undefined;
  #retryAfter: string | undefined;

  constructor(request: OutboundRequest, path: string, done: (result: OutboundResult) => void) {
    this.#request = request;
    this.#path = path;
    this.#at = request.at ?? Date.now();
    this.#keepBytes = request.keepBytes ?? defaultKeepBytes;
    this.#done = done;
  }

  begin(): Dispatcher.DispatchOptions {
    const now = performance.now();
    this.#at += Math.round(now - this.#started);
    this.#started = now;
    const { method, sign, timeoutMs = defaultTimeoutMs } = this.#request;
    this.#timer = setTimeout(() => {
      this.fail(new OutboundFailure('timeout', `no complete answer within ${timeoutMs / 1_000} s`));
    }, timeoutMs);
    const headers: string[] = [];
    for (const name in this.#request.headers) headers.push(name, this.#request.headers[name] ?? '');
    let body: string | Buffer | null = this.#request.body ?? null;
    if (sign !== undefined) {
      const whole = sign.coversRequest
        ? { method, target: this.#path, headers: this.#request.headers }
        : undefined;
      const signed = signedBody(sign.secrets, sign.id, Math.floor(this.#at / 1_000), body ?? '', whole);
      headers.push(...signed.headers);
      ({ body } = signed);
    }
    return { path: this.#path, method, headers, body };
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#settled) this.#abort();
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (status < 200) return;
    this.#status = status;
    this.#contentType = getFirst(headers['content-type']);
    this.#retryAfter = getFirst(headers['retry-after']);
    const { saveTo } = this.#request;
    if (saveTo !== undefined && status === 200) {
      this.#file = new BodyFile(saveTo, () => controller.resume());
    }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#read += chunk.length;
    if (this.#kept < this.#keepBytes) {
      const part = chunk.subarray(0, this.#keepBytes - this.#kept);
      this.#kept += part.length;
      if (this.#file === undefined) this.#chunks.push(part);
      else if (!this.#file.write(part)) controller.pause();
    }
    if (this.#read > this.#keepBytes + maxDiscardedBytes) {
      this.#answer();
      this.#abort();
    }
  }

  onResponseEnd(): void {
    if (this.#file === undefined) this.#answer();
    else this.#file.end(saved => this.#answer(saved));
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

  #answer(saved?: SavedBody): void {
    const body = this.#kept === 0 ? '' : Buffer.concat(this.#chunks).toString('utf8');
    this.#settle({
      ...this.#times(),
      status: this.#status,
      ...(this.#file === undefined ? { body } : {}),
      ...(saved === undefined ? {} : { saved }),
      ...(this.#read > this.#kept ? { truncated: true } : {}),
      ...(this.#contentType === undefined ? {} : { contentType: this.#contentType }),
      ...(this.#retryAfter === undefined ? {} : { retryAfter: this.#retryAfter }),
    });
  }

  #times(): { at: number; durationMs: number } {
    return { at: this.#at, durationMs: Math.round(performance.now() - this.#started) };
  }

  #settle(result: OutboundResult): void {
    if (this.#settled) return;
    this.#settled = true;
    clearTimeout(this.#timer);
    this.#chunks = [];
    this.#file?.abandon();
    this.#done(result);
  }
}

function getFirst(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
