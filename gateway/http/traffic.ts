/** What the requests of one server share: its limits, what is under way, and how to wait until nothing is. */
import type { Log } from '../../runtime/log.ts';
import { Deadlines } from './deadlines.ts';
import type { ResponseHead } from './response-head.ts';

/** What one server takes on at once; times in milliseconds. */
export interface TrafficLimits {
  /** Requests under way at once, beyond which new ones get 503. Default 20,000. */
  readonly maxInFlight: number;
  /** Bytes of request bodies in memory at once, beyond which new ones get 503. Default 268,435,456. */
  readonly maxBodyBytesInFlight: number;
  /** Time from a request's head to the end of its body, then the connection is closed. Default 30,000. */
  readonly uploadDeadlineMs: number;
  /** Time from the end of the body to the answer, then 503. Default 30,000. */
  readonly answerDeadlineMs: number;
  /** Time that a body which is streamed may take, in either direction, then the connection is closed. Default 300,000. */
  readonly transferDeadlineMs: number;
}

/** A request under way, as far as deadlines are concerned. */
export interface Expiring {
  /** The body did not arrive in time. */
  uploadExpired(): void;
  /** The handler did not answer in time. */
  answerExpired(): void;
  /** What is streamed did not end in time. */
  transferExpired(): void;
}

export class Traffic {
  readonly log: Log;
  readonly head: ResponseHead;
  readonly docsUrl: string;
  /** Reverse proxies of ours before this server; 0: X-Forwarded-For is ignored. */
  readonly trustedProxies: number;
  readonly uploads: Deadlines<Expiring>;
  readonly answers: Deadlines<Expiring>;
  readonly transfers: Deadlines<Expiring>;
  /** While set, routes that are not `always` open answer 503. */
  held = false;
  /** Set once: answers close their connections from now on. */
  draining = false;
  /** Requests so far. */
  entered = 0;
  readonly #limits: TrafficLimits;
  #inFlight = 0;
  #bodyBytes = 0;
  #whenIdle: (() => void)[] = [];

  constructor(limits: TrafficLimits, face: Pick<Traffic, 'log' | 'head' | 'docsUrl' | 'trustedProxies'>) {
    this.#limits = limits;
    this.log = face.log;
    this.head = face.head;
    this.docsUrl = face.docsUrl;
    this.trustedProxies = face.trustedProxies;
    this.uploads = new Deadlines(limits.uploadDeadlineMs, request => request.uploadExpired());
    this.answers = new Deadlines(limits.answerDeadlineMs, request => request.answerExpired());
    this.transfers = new Deadlines(limits.transferDeadlineMs, request => request.transferExpired());
  }

  /** Requests received and not yet answered to the last byte. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Bytes reserved by `hold`. */
  get bodyBytes(): number {
    return this.#bodyBytes;
  }

  /** Counts a request in; false: there are too many. In both cases `leave` follows. */
  enter(): boolean {
    this.entered++;
    return ++this.#inFlight <= this.#limits.maxInFlight;
  }

  /** Counts a request out: once for each `enter`. */
  leave(): void {
    if (--this.#inFlight > 0 || this.#whenIdle.length === 0) return;
    for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  /** Reserves memory for a body; false: there is too much of it, and nothing was reserved. */
  hold(bytes: number): boolean {
    if (this.#bodyBytes + bytes > this.#limits.maxBodyBytesInFlight) return false;
    this.#bodyBytes += bytes;
    return true;
  }

  /** Gives back what `hold` reserved. */
  release(bytes: number): void {
    this.#bodyBytes -= bytes;
  }

  /** Resolves when no request is under way. */
  idle(): Promise<void> {
    if (this.#inFlight === 0) return Promise.resolve();
    return new Promise(resolve => this.#whenIdle.push(resolve));
  }
}
