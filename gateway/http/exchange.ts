/**
 * One request and its answer on uWebSockets.js. States and legal moves:
 *
 * - `reading`: the body is arriving. To `handling` when it is complete; to `discarding`, `sending` or `over` when it is refused; to `over`
 *   when it is late, or the client is gone.
 * - `handling`: the handler has the request; on routes that stream the body, it is still arriving. To `discarding`, `sending` or `over`
 *   with the first answer: the handler's, or the deadline's. To `over` when the client is gone.
 * - `discarding`: the answer waits for the rest of a body that is not read. To `sending` or `over` when the rest has arrived or is late.
 * - `sending`: the client takes the answer more slowly than it was made. To `over` with its last byte.
 * - `over`: the response must not be touched any more; uWebSockets.js would throw. Later answers are dropped silently.
 *
 * The server aborts the process when a handler throws or never answers: nothing here throws into it.
 */
import type { HttpRequest as UwsRequest, HttpResponse as UwsResponse } from 'uWebSockets.js';
import { ServiceError } from '../../protocol/errors.ts';
import { newId } from '../../protocol/ids.ts';
import { IncomingBody, pipeBody } from './bodies.ts';
import { errorAnswer, type HttpAnswer, type HttpRequest } from './message.ts';
import { addressText, checkHeaders, HeaderBlock } from './headers.ts';
import { tooLarge, type Route } from './route.ts';
import type { AddressCounts, Expiring, Traffic } from './traffic.ts';

/** A refused body up to this many bytes over the limit is discarded as it arrives, so that the client reads the answer. */
const discardedBytes = 16 * 1024 * 1024;
/** Bytes of a body that are taken from anybody. What goes beyond them has to be admitted (`RouteOptions.admitBody`). */
const freeBodyBytes = 16_384;
const nothing = Buffer.alloc(0);

type State = 'reading' | 'handling' | 'discarding' | 'sending' | 'over';

const moves: Readonly<Record<State, readonly State[]>> = {
  reading: ['handling', 'discarding', 'sending', 'over'],
  handling: ['discarding', 'sending', 'over'],
  discarding: ['sending', 'over'],
  sending: ['over'],
  over: [],
};

/** What an answer counts at least while its client takes it. Bytes. */
const leastSlowBytes = 65_536;

/** Memory that an answer takes until its client has it. The bytes of files are there in any case, once for all answers. */
function getHeldBytes({ body }: HttpAnswer): number {
  return typeof body === 'string' ? Math.max(Buffer.byteLength(body), leastSlowBytes) : leastSlowBytes;
}

function busy(): ServiceError {
  return new ServiceError('svc/runtime/unavailable', { retryAfterSeconds: 1 });
}

/** The callback of a route: makes an exchange of each request. */
export function createRouteCallback(
  traffic: Traffic,
  route: Route,
): (res: UwsResponse, req: UwsRequest) => void {
  return (res, req) => {
    try {
      new HttpExchange(traffic, route, res, req).start();
    } catch (error) {
      traffic.log.error({ err: error }, 'request could not be started');
      res.close();
    }
  };
}

export class HttpExchange implements HttpRequest, Expiring {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly params: readonly string[];
  readonly requestId: string = newId('request');
  readonly #traffic: Traffic;
  readonly #route: Route;
  readonly #headers: HeaderBlock;
  #res: UwsResponse;
  /** Set by #move only. */
  #state: State = 'reading';
  /** The connection closes after this answer. */
  #last = false;
  #body: Buffer = nothing;
  #length = 0;
  /** Bytes of memory that are reserved for the body. */
  #held = 0;
  /** More of the body is to come. */
  #bodyPending = false;
  /** Where the exchange is counted by its client's address: by its body, then by its answer. */
  #countedIn: AddressCounts | undefined;
  #counted = 0;
  #askedForAdmission = false;
  #address: string | undefined;
  #refused: ServiceError | undefined;
  #incoming: IncomingBody | undefined;
  /** Aborts the answer that is being streamed. */
  #stopPiping: (() => void) | undefined;
  /** While discarding: the answer. */
  #early: HttpAnswer | undefined;
  /** For the log of requests: when it came, in milliseconds of `performance.now()`, and what it was answered. */
  #since = 0;
  #status = 0;

  /** Create it within the route's callback, and call `start` or `admit` there. */
  constructor(traffic: Traffic, route: Route, res: UwsResponse, req: UwsRequest) {
    this.#traffic = traffic;
    this.#route = route;
    if (traffic.logsRequests) this.#since = performance.now();
    this.#res = res;
    this.method = route.method;
    res.onAborted(() => this.#leave());
    this.path = req.getUrl();
    this.query = (req.getQuery() as string | undefined) ?? '';
    const params: string[] = [];
    for (let i = 0; i < route.paramCount; i++) params.push(req.getParameter(i) ?? '');
    this.params = params;
    this.#headers = HeaderBlock.read(req);
  }

  get body(): Buffer {
    return this.#body;
  }

  get refused(): ServiceError | undefined {
    return this.#refused;
  }

  get incoming(): IncomingBody | undefined {
    return this.#incoming;
  }

  get address(): string {
    this.#address ??= this.#state === 'over' ? '' : this.#findAddress();
    return this.#address;
  }

  header(name: string): string {
    return this.#headers.get(name);
  }

  /** Whether the client is gone or has its answer. */
  get over(): boolean {
    return this.#state === 'over';
  }

  /** Reads the body and hands the request to its handler. */
  start(): void {
    const headers = this.#headers;
    const route = this.#route;
    if (!this.#begin(headers.chunked && !route.readsBody)) return;
    if (!route.readsBody) {
      this.#handle();
    } else if (headers.contentLength > route.maxBodyBytes) {
      this.#last = headers.contentLength > route.maxBodyBytes + discardedBytes;
      this.#handle(tooLarge(route.maxBodyBytes));
    } else {
      this.#bodyPending = true;
      this.#res.onData((chunk, last) => this.#arrive(chunk, last));
      if (route.streamsBody) this.#stream();
      else if (this.#state === 'reading') this.#traffic.uploads.add(this);
    }
  }

  /** For an upgrade to a websocket: counts the request in; false when it was refused already. */
  admit(): boolean {
    // Bytes that follow the head of an upgrade are frames: a body has no place there.
    if (!this.#begin(this.#headers.chunked || this.#headers.contentLength > 0)) return false;
    this.#move('handling');
    this.#traffic.answers.add(this);
    return true;
  }

  /** For an upgrade: hands the response over to the websocket; undefined when the client is gone. */
  takeResponse(): UwsResponse | undefined {
    if (this.#state !== 'handling') return undefined;
    const res = this.#res;
    this.#status = 101;
    this.#leave();
    return res;
  }

  #begin(unsound: boolean): boolean {
    const room = this.#traffic.enter();
    if (unsound || !this.#headers.sound) {
      this.#close();
      return false;
    }
    if (!room || (this.#traffic.held && !this.#route.always)) {
      this.fail(busy());
      return false;
    }
    return true;
  }

  #move(to: State): void {
    if (!moves[this.#state].includes(to))
      throw new Error(`an exchange does not go from ${this.#state} to ${to}`);
    this.#state = to;
  }

  // Called by the server for each piece of the body; the piece is gone when this returns.
  #arrive(chunk: ArrayBuffer, last: boolean): void {
    if (last) this.#bodyPending = false;
    try {
      if (this.#state === 'reading') this.#receive(chunk, last);
      else if (this.#state === 'handling') this.#pass(chunk, last);
      else if (this.#state === 'discarding') this.#discard(chunk, last);
    } catch (error) {
      this.fail(error);
    }
  }

  #receive(chunk: ArrayBuffer, last: boolean): void {
    const size = this.#length + chunk.byteLength;
    let refusal: ServiceError | undefined;
    if (size > this.#route.maxBodyBytes) refusal = tooLarge(this.#route.maxBodyBytes);
    else if (!this.#append(chunk, size)) refusal = busy();
    else if (!last) refusal = this.#awaitMore(size);
    if (this.#state !== 'reading' || (refusal === undefined && !last)) return;
    this.#move('handling');
    this.#traffic.uploads.remove(this);
    if (refusal === undefined) this.#body = this.#body.subarray(0, size);
    if (!this.#headers.chunked) {
      this.#handle(refusal);
      return;
    }
    // Trailers and chunk terminators are not checked by the server, so what follows a chunked body may be read as
    // a request that no client sent. It is not executed: while an answer is outstanding the server closes the
    // connection on further requests, and this answer ends it.
    this.#last = true;
    setImmediate(() => this.#handle(refusal));
  }

  /**
   * The first piece of a body is taken from everyone, the rest only from whom the route admits. Otherwise slow senders could hold so much
   * memory that the node stops for all others.
   */
  #awaitMore(size: number): ServiceError | undefined {
    if (!this.#countIn(this.#traffic.slowBodies)) return busy();
    const { admitBody } = this.#route;
    if (admitBody === undefined || size <= freeBodyBytes || this.#askedForAdmission) return undefined;
    this.#askedForAdmission = true;
    const refusal = admitBody(this);
    if (!(refusal instanceof Promise)) {
      if (refusal !== undefined) this.answer(refusal);
      return undefined;
    }
    this.#res.pause();
    const proceed = (answer?: HttpAnswer): void => {
      if (this.#state === 'over') return;
      this.#res.resume();
      if (answer !== undefined && this.#state === 'reading') this.answer(answer);
    };
    refusal.then(proceed, () => proceed());
    return undefined;
  }

  /** Counts the exchange in there, and nowhere else any more; false: there are too many. */
  #countIn(counts: AddressCounts, amount = 1): boolean {
    if (this.#countedIn === counts) return true;
    this.#countOut();
    if (!counts.enter(this.address, amount)) return false;
    this.#countedIn = counts;
    this.#counted = amount;
    return true;
  }

  #countOut(): void {
    this.#countedIn?.leave(this.address, this.#counted);
    this.#countedIn = undefined;
  }

  /** Gives back what the body has taken of the server. */
  #releaseBody(): void {
    this.#traffic.release(this.#held);
    this.#held = 0;
    this.#countOut();
  }

  #stream(): void {
    const res = this.#res;
    const refusal = this.#route.admitBody?.(this);
    if (refusal instanceof Promise)
      throw new Error('a body that is streamed is admitted at once or not at all');
    if (refusal !== undefined) return this.answer(refusal);
    if (!this.#countIn(this.#traffic.streams)) return this.fail(busy());
    // As after a chunked body that is read whole: what may follow it must not be executed.
    this.#last = this.#headers.chunked;
    const whileOpen = (work: () => void) => (): void => {
      if (this.#state !== 'over') work();
    };
    const incoming = new IncomingBody({
      pause: whileOpen(() => res.pause()),
      resume: whileOpen(() => res.resume()),
    });
    this.#incoming = incoming;
    this.#traffic.transfers.add(this);
    this.#handle();
  }

  /** A piece of a body that is streamed. */
  #pass(chunk: ArrayBuffer, last: boolean): void {
    this.#length += chunk.byteLength;
    if (this.#incoming === undefined) return;
    if (this.#length > this.#route.maxBodyBytes) this.fail(tooLarge(this.#route.maxBodyBytes));
    else this.#incoming.arrive(chunk, last);
  }

  #discard(chunk: ArrayBuffer, last: boolean): void {
    this.#length += chunk.byteLength;
    if (last) this.#answerEarly();
  }

  // The buffer grows with what has arrived, not with the announced length: an announcement costs the client nothing.
  #append(chunk: ArrayBuffer, size: number): boolean {
    if (size > this.#body.length) {
      const capacity = Math.min(this.#route.maxBodyBytes, this.#length === 0 ? size : size * 2);
      if (!this.#traffic.hold(capacity - this.#held)) return false;
      this.#held = capacity;
      const grown = Buffer.allocUnsafe(capacity);
      grown.set(this.#body.subarray(0, this.#length));
      this.#body = grown;
    }
    this.#body.set(new Uint8Array(chunk), this.#length);
    this.#length = size;
    return true;
  }

  #handle(refusal?: ServiceError): void {
    if (this.#state === 'over') return;
    if (this.#state === 'reading') this.#move('handling');
    if (refusal !== undefined && !this.#route.answersRefused) return this.fail(refusal);
    this.#refused = refusal;
    // Before anything is opened for it.
    if (this.#route.streamsAnswer && !this.#countIn(this.#traffic.downloads)) return this.fail(busy());
    try {
      const answer = this.#route.handler(this);
      if (answer instanceof Promise) {
        if (this.#incoming === undefined) this.#traffic.answers.add(this);
        answer.then(
          value => this.answer(value),
          (error: unknown) => this.fail(error),
        );
      } else {
        this.answer(answer);
      }
    } catch (error) {
      this.fail(error);
    }
  }

  uploadExpired(): void {
    if (this.#state === 'reading') this.#close();
  }

  answerExpired(): void {
    if (this.#state !== 'handling') return;
    this.#traffic.log.warn({ requestId: this.requestId, path: this.path }, 'no answer within the deadline');
    this.fail(busy());
  }

  discardExpired(): void {
    // The rest of the body is not read: the connection closes.
    this.#last = true;
    this.#answerEarly();
  }

  transferExpired(): void {
    this.#close();
  }

  /** Answers with an error; what is not a `ServiceError` is logged and shown as a 500 without its reasons. */
  fail(error: unknown): void {
    let known = error;
    if (!(known instanceof ServiceError)) {
      this.#traffic.log.error(
        { requestId: this.requestId, method: this.method, path: this.path, err: error },
        'request failed unexpectedly',
      );
      known = new ServiceError('svc/runtime/internal_error');
    }
    this.answer(errorAnswer(known as ServiceError, this.requestId, this.#traffic.docsUrl));
  }

  /** Answers, unless that has been done or the client is gone. */
  answer(answer: HttpAnswer): void {
    if (this.#state === 'over' || this.#state === 'sending' || this.#state === 'discarding') {
      answer.outgoing?.stream.destroy();
      return;
    }
    try {
      checkHeaders(answer);
      if (answer.outgoing !== undefined && !this.#route.streamsAnswer)
        throw new Error(`the route ${this.#route.pattern} does not say that its answer is a stream`);
    } catch (error) {
      answer.outgoing?.stream.destroy();
      this.fail(error);
      return;
    }
    if (this.#bodyPending && this.#waitsForBody()) {
      this.#early = answer;
      this.#move('discarding');
      this.#traffic.discards.add(this);
      return;
    }
    this.#writeOrClose(answer);
  }

  #answerEarly(): void {
    this.#traffic.discards.remove(this);
    if (this.#state === 'discarding' && this.#early !== undefined) this.#writeOrClose(this.#early);
  }

  #writeOrClose(answer: HttpAnswer): void {
    try {
      this.#res.cork(() => this.#write(answer));
      // Not within the cork, where the connection must not be closed.
      const isSlow = this.#state === 'sending' && answer.outgoing === undefined;
      if (isSlow && !this.#countIn(this.#traffic.slowAnswers, getHeldBytes(answer))) this.#close();
    } catch (error) {
      // Half an answer may have been sent: the connection cannot be kept.
      this.#traffic.log.error(
        { requestId: this.requestId, path: this.path, err: error },
        'answer could not be written',
      );
      this.#close();
    }
  }

  #write(answer: HttpAnswer): void {
    const res = this.#res;
    this.#traffic.head.write(res, answer, this.requestId);
    this.#traffic.cors?.write(res, this);
    this.#status = answer.status;
    const { outgoing } = answer;
    const body = typeof answer.body === 'string' ? Buffer.from(answer.body) : (answer.body ?? nothing);
    const bare = this.#route.headOnly || answer.status === 204 || answer.status === 304;
    if (this.#last) {
      res.end(body, true);
      this.#leave();
      return;
    }
    // A client that gets this header closes the connection itself; if it does not, the drain closes it.
    if (this.#traffic.draining) res.writeHeader('Connection', 'close');
    if (bare) {
      // By hand: given a length, endWithoutBody of this version stays pending.
      const length = outgoing === undefined ? body.length : outgoing.size;
      if (this.#route.headOnly && length !== undefined) res.writeHeader('Content-Length', String(length));
      outgoing?.stream.destroy();
      res.endWithoutBody();
      this.#leave();
    } else if (outgoing !== undefined) {
      this.#beginSending();
      this.#stopPiping = pipeBody(res, outgoing, outcome =>
        outcome === 'complete' ? this.#leave() : this.#close(),
      );
    } else {
      this.#send(body);
    }
  }

  /**
   * Gives up a body that is still arriving; whether the answer has to wait for its rest. A rest of moderate size is discarded first,
   * since this server stops reading once it has answered, and a client that still sends would get a reset instead of the answer. After
   * a larger one, or one of unknown size, the connection closes.
   */
  #waitsForBody(): boolean {
    this.#endDeadlines();
    this.#incoming?.cut();
    this.#releaseBody();
    const rest = this.#headers.contentLength - this.#length;
    if (!this.#headers.chunked && rest <= discardedBytes) return true;
    this.#last = true;
    return false;
  }

  // `tryEnd` rather than `end`: what the kernel does not take stays here, and the request counts as pending, so that a
  // client that pipelines and never reads is closed instead of filling the memory with its answers. One that reads slowly, over many
  // connections, is closed as well.
  #send(body: Uint8Array): void {
    const res = this.#res;
    const [, complete] = res.tryEnd(body, body.length);
    if (complete) {
      this.#leave();
      return;
    }
    this.#beginSending();
    res.onWritable(offset => {
      const [sent, done] = res.tryEnd(body.subarray(offset), body.length);
      if (done) this.#leave();
      return sent;
    });
  }

  #beginSending(): void {
    this.#move('sending');
    this.#endDeadlines();
    this.#traffic.transfers.add(this);
  }

  #close(): void {
    if (this.#state !== 'over') this.#res.close();
    this.#leave();
  }

  // The client has its answer, or is gone. Takes effect exactly once for every exchange.
  #leave(): void {
    if (this.#state === 'over') return;
    this.#move('over');
    this.#endDeadlines();
    this.#incoming?.cut();
    this.#stopPiping?.();
    this.#releaseBody();
    this.#traffic.leave();
    if (this.#traffic.logsRequests) this.#logRequest();
  }

  /** Without the query, which may have a signature or a ticket. A request that got no answer has no status. */
  #logRequest(): void {
    const { method, path, requestId } = this;
    const ms = Math.round((performance.now() - this.#since) * 10) / 10;
    const status = this.#status === 0 ? {} : { status: this.#status };
    this.#traffic.log.debug({ method, path, ...status, ms, requestId }, 'request');
  }

  #endDeadlines(): void {
    const traffic = this.#traffic;
    traffic.uploads.remove(this);
    traffic.discards.remove(this);
    traffic.answers.remove(this);
    traffic.transfers.remove(this);
  }

  #findAddress(): string {
    const peer = addressText(this.#res.getRemoteAddress());
    return this.#traffic.findAddress(peer, this.header('x-forwarded-for'));
  }
}
