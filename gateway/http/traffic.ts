/** What the requests of one server share: its limits, what is in progress, and how to wait until nothing is. */
import { Gauge, type Registry } from 'prom-client';
import type { Log } from '../../runtime/observability/index.ts';
import type { Cors } from './cors.ts';
import type { ResponseHead } from './headers.ts';
import { toNetwork } from './network.ts';

/** How much one server accepts at once; times in milliseconds. */
export interface TrafficLimits {
  /** Requests in progress at once; beyond that new ones get 503. Default 20,000. */
  readonly maxInFlight: number;
  /** Bytes of request bodies in memory at once; beyond that new ones get 503. Default 268,435,456. */
  readonly maxBodyBytesInFlight: number;
  /** Bodies of requests that are streamed at once, at some 4 MiB of memory each; beyond that new ones get 503. Default 64. */
  readonly maxStreams: number;
  /** The same for one client address. Default 16. */
  readonly maxStreamsPerAddress: number;
  /**
   * Answers that are streamed at once, at some 256 KiB of memory and a connection to the media store each; beyond that new ones get 503.
   * Default 512: storage/media has connections for as many.
   */
  readonly maxDownloads: number;
  /** The same for one client address: a browser shows a conversation with that many pictures. Default 64. */
  readonly maxDownloadsPerAddress: number;
  /**
   * Bytes of other answers that clients take more slowly than they are made; beyond that the connection is closed. An answer counts 64 KiB
   * at least. Default 268,435,456.
   */
  readonly maxSlowBytes: number;
  /** The same for one client address. Default 33,554,432. */
  readonly maxSlowBytesPerAddress: number;
  /** Bodies of one client address that arrive in pieces and are not complete; beyond that new ones get 503. Default 512. */
  readonly maxSlowBodiesPerAddress: number;
  /** Time from a request's head to the end of its body, then the connection is closed. Default 30,000. */
  readonly uploadDeadlineMs: number;
  /** Time that is given to the rest of a body which was refused, then it is answered all the same. Default 5,000. */
  readonly discardDeadlineMs: number;
  /** Time from the end of the body to the answer, then 503. Default 30,000. */
  readonly answerDeadlineMs: number;
  /** Time that a body which is streamed may take, in either direction, and a slow answer; then the connection is closed. Default 300,000. */
  readonly transferDeadlineMs: number;
}

/** A request in progress, as far as deadlines are concerned. */
export interface Expiring {
  /** The body did not arrive in time. */
  uploadExpired(): void;
  /** The rest of a refused body did not arrive in time. */
  discardExpired(): void;
  /** The handler did not answer in time. */
  answerExpired(): void;
  /** What is streamed, or a slow answer, did not end in time. */
  transferExpired(): void;
}

export class Traffic {
  readonly log: Log;
  readonly head: ResponseHead;
  readonly docsUrl: string;
  /** Returns the address of a client, given the connection's peer and X-Forwarded-For. */
  readonly findAddress: (peer: string, forwardedFor: string) => string;
  readonly logsRequests: boolean;
  /** Undefined: pages of other origins read nothing. */
  readonly cors: Cors | undefined;
  readonly uploads: Deadlines<Expiring>;
  readonly discards: Deadlines<Expiring>;
  readonly answers: Deadlines<Expiring>;
  readonly transfers: Deadlines<Expiring>;
  /** Bodies of requests that are being streamed, by client address. */
  readonly streams: AddressCounts;
  /** Answers that are being streamed, or made for that, by client address. */
  readonly downloads: AddressCounts;
  /** Bytes of other answers that wait for their client, by its address. */
  readonly slowAnswers: AddressCounts;
  /** Bodies that arrive in pieces, by client address. */
  readonly slowBodies: AddressCounts;
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

  constructor(
    limits: TrafficLimits,
    server: Pick<Traffic, 'log' | 'head' | 'docsUrl' | 'findAddress' | 'logsRequests' | 'cors'>,
  ) {
    this.#limits = limits;
    this.log = server.log;
    this.head = server.head;
    this.docsUrl = server.docsUrl;
    this.findAddress = server.findAddress;
    this.logsRequests = server.logsRequests;
    this.cors = server.cors;
    this.uploads = new Deadlines(limits.uploadDeadlineMs, request => request.uploadExpired());
    this.discards = new Deadlines(limits.discardDeadlineMs, request => request.discardExpired());
    this.answers = new Deadlines(limits.answerDeadlineMs, request => request.answerExpired());
    this.transfers = new Deadlines(limits.transferDeadlineMs, request => request.transferExpired());
    this.streams = new AddressCounts(limits.maxStreamsPerAddress, limits.maxStreams);
    this.downloads = new AddressCounts(limits.maxDownloadsPerAddress, limits.maxDownloads);
    this.slowAnswers = new AddressCounts(limits.maxSlowBytesPerAddress, limits.maxSlowBytes);
    this.slowBodies = new AddressCounts(limits.maxSlowBodiesPerAddress, Infinity);
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

  /** Resolves when no request is in progress. */
  idle(): Promise<void> {
    if (this.#inFlight === 0) return Promise.resolve();
    return new Promise(resolve => this.#whenIdle.push(resolve));
  }
}

/** How many of something, or how many bytes, there are at once, for each client address (of IPv6: each network) and in all. */
export class AddressCounts {
  readonly #maxPerAddress: number;
  readonly #max: number;
  readonly #counts = new Map<string, number>();
  #total = 0;

  constructor(maxPerAddress: number, max: number) {
    this.#maxPerAddress = maxPerAddress;
    this.#max = max;
  }

  /** Counts `amount` more; false: that would be too many, and it is not counted. */
  enter(address: string, amount = 1): boolean {
    const network = toNetwork(address);
    const count = (this.#counts.get(network) ?? 0) + amount;
    if (count > this.#maxPerAddress || this.#total + amount > this.#max) return false;
    this.#counts.set(network, count);
    this.#total += amount;
    return true;
  }

  /** Once for each `enter` that returned true, with its amount. */
  leave(address: string, amount = 1): void {
    const network = toNetwork(address);
    const count = (this.#counts.get(network) ?? 0) - amount;
    if (count > 0) this.#counts.set(network, count);
    else this.#counts.delete(network);
    this.#total -= amount;
  }
}

/** Entries that all have the same time to live: first in, first to expire. One timer serves them all. */
export class Deadlines<Entry> {
  readonly #ms: number;
  readonly #expire: (entry: Entry) => void;
  /** When each entry is due, in milliseconds of `performance.now()`; a Map keeps the order of insertion. */
  readonly #due = new Map<Entry, number>();
  #timer: NodeJS.Timeout | undefined;

  /** `expire` is called once for each entry that is still here `ms` milliseconds after its `add`. */
  constructor(ms: number, expire: (entry: Entry) => void) {
    this.#ms = ms;
    this.#expire = expire;
  }

  get size(): number {
    return this.#due.size;
  }

  /**
   * Starts the entry's time. Not for an entry that was added already: it would be due later than its position
   * in the order says.
   */
  add(entry: Entry): void {
    this.#due.set(entry, performance.now() + this.#ms);
    this.#timer ??= setTimeout(() => this.#sweep(), this.#ms).unref();
  }

  remove(entry: Entry): void {
    this.#due.delete(entry);
  }

  /** Forgets every entry and the timer. */
  clear(): void {
    this.#due.clear();
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #sweep(): void {
    this.#timer = undefined;
    const now = performance.now();
    for (const [entry, at] of this.#due) {
      if (at > now) {
        this.#timer = setTimeout(() => this.#sweep(), Math.ceil(at - now)).unref();
        return;
      }
      this.#due.delete(entry);
      this.#expire(entry);
    }
  }
}

const levels = {
  inFlight: { name: 'skein_http_in_flight', help: 'Requests that wait for their answer' },
  bodyBytes: { name: 'skein_http_body_bytes', help: 'Bytes of request bodies in memory' },
  sockets: { name: 'skein_sockets', help: 'Open websockets' },
} as const;

/** What is in progress on a server at this moment. */
export type TrafficStats = Readonly<Record<keyof typeof levels, number>>;

/** Shows the levels of a server in the registry. */
export function showTraffic(registry: Registry, server: { readonly stats: TrafficStats }): void {
  for (const level of Object.keys(levels) as (keyof TrafficStats)[]) {
    new Gauge({
      ...levels[level],
      registers: [registry],
      collect(): void {
        this.set(server.stats[level]);
      },
    });
  }
}
