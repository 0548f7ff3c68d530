/**
 * The HTTP client of a worker: signs, sends, reads the answer, keeps its beginning. Many requests are in flight at once;
 * each has its own deadline, and none waits for another's.
 *
 * A request is: waiting (for a connection), started (its bytes go out), answering (the status is in), settled. It settles
 * exactly once: with the end of the answer, with an error, with its deadline, or with cancellation. undici's own timers
 * are off, because the deadline is for all of it and not for its phases.
 */
import type { Dispatcher } from 'undici';
import { signedBody } from '../../protocol/signature.ts';
import { AddressGuard, refusalOf, type Reach } from './address-guard.ts';
import { Connections, type Use } from './connections.ts';
import { guardedConnector } from './connector.ts';
import { OutboundFailure } from './failure.ts';
import type { OutboundOptions, OutboundRequest, OutboundResult } from './messages.ts';
import { resolver } from './resolver.ts';

/** A body that goes on for this long beyond what is kept is not read to its end: the connection is given up. */
const patienceBytes = 65_536;
/** Addresses whose standing is remembered. */
const mostAddresses = 1_000;

/** An address, looked at. */
interface Address {
  readonly origin: string;
  readonly path: string;
  /** Why nothing is sent to it. */
  readonly refusal: string | undefined;
}

export class Outbound {
  readonly #reach: Reach;
  readonly #connections: Connections;
  readonly #addresses = new Map<string, Address>();

  constructor(options: OutboundOptions) {
    this.#reach = options.reach ?? 'public';
    const resolve = resolver({
      askSystem: this.#reach !== 'public',
      ...(options.nameServers === undefined ? {} : { servers: options.nameServers }),
    });
    this.#connections = new Connections(
      guardedConnector({
        guard: new AddressGuard(this.#reach, resolve),
        connectTimeoutMs: options.connectTimeoutMs ?? 5_000,
        ...(options.ca === undefined ? {} : { ca: options.ca }),
      }),
    );
  }

  /** Starts a request; `done` is called once, with what came of it. The returned function cancels. */
  send(request: OutboundRequest, done: (result: OutboundResult) => void): () => void {
    const exchange = new Exchange(request, done);
    const address = this.#addressOf(request);
    if (address.refusal !== undefined) {
      exchange.fail(new OutboundFailure('blocked_address', address.refusal));
    } else {
      this.#dispatch(address, request, exchange);
    }
    return () => exchange.fail(new OutboundFailure('timeout', 'cancelled'));
  }

  #addressOf({ url: text, httpsOnly = false }: OutboundRequest): Address {
    const key = httpsOnly ? `https only ${text}` : text;
    const known = this.#addresses.get(key);
    if (known !== undefined) return known;
    const url = URL.parse(text);
    const address: Address =
      url === null
        ? { origin: '', path: '', refusal: 'the address is not a URL' }
        : {
            origin: url.origin,
            path: url.pathname + url.search,
            refusal: refusalOf(url, { reach: this.#reach, httpsOnly }),
          };
    if (this.#addresses.size >= mostAddresses) this.#addresses.clear();
    this.#addresses.set(key, address);
    return address;
  }

  #dispatch({ origin, path }: Address, request: OutboundRequest, exchange: Exchange): void {
    const { method, sign } = request;
    const headers: string[] = [];
    for (const name in request.headers) headers.push(name, request.headers[name] ?? '');
    let body: string | Buffer | null = request.body ?? null;
    if (sign !== undefined) {
      const signed = signedBody(sign.secrets, sign.id, Math.floor(exchange.at / 1_000), body ?? '');
      headers.push(...signed.headers);
      ({ body } = signed);
    }
    // What undici refuses (malformed headers) it says to the exchange.
    this.#connections.dispatch(origin, { path, method, headers, body }, exchange);
  }

  /** Lets what is in flight finish, then closes the connections. */
  async close(): Promise<void> {
    await this.#connections.close();
  }
}

class Exchange implements Use {
  ended: ((answered: boolean) => void) | undefined = undefined;
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
    this.ended?.(true);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(OutboundFailure.of(error, 'connect'));
    this.ended?.(false);
  }

  get isOver(): boolean {
    return this.#settled;
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

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
