/**
 * A request and its answer as the rest of the gateway sees them: plain values, nothing of the server beneath. The
 * server (server.ts) makes the one and consumes the other.
 */

import type { Readable } from 'node:stream';
import type { ServiceError } from '../../protocol/errors.ts';

/** A request whose body has been read to its end, unless its route streams it. */
export interface HttpRequest {
  /** Upper case; `HEAD` is handed to handlers as `GET`. */
  readonly method: string;
  /** The path as sent: starts with a slash, not decoded, without the query. */
  readonly path: string;
  /** What follows the question mark, not decoded; empty when there is none. */
  readonly query: string;
  /** The values of the route's parameters in the order of its pattern, as sent: not decoded. */
  readonly params: readonly string[];
  /** `req_...`, minted here and never taken from the client: it is also in the answer's X-Request-Id. */
  readonly requestId: string;
  /** The client's IP address as text; empty once the client is gone. */
  readonly address: string;
  /** Empty on routes that read no body, or read it as a stream. */
  readonly body: Buffer;
  /** Why the body was not taken, on routes that answer that themselves; undefined: it was, or there is none. */
  readonly refused?: ServiceError | undefined;
  /**
   * On routes that stream it, the body as it arrives; it fails where the client goes away. An answer may come before its end: what is
   * left is then swallowed.
   */
  readonly incoming?: Readable | undefined;
  /** A header by its lower-case name, empty when absent; repeated headers are joined as RFC 9110 section 5.3 says. */
  header(name: string): string;
}

/** A body that is not held in memory. */
export interface OutgoingBody {
  /** Destroyed once it is no longer needed. */
  readonly stream: Readable;
  /** Exactly as many bytes as the stream gives. */
  readonly size: number;
}

/** What to answer. X-Request-Id, Service-Version and the security headers are added by the server. */
export interface HttpAnswer {
  readonly status: number;
  /** Text is sent as UTF-8; absent: no body. */
  readonly body?: string | Uint8Array;
  /** Instead of `body`. */
  readonly outgoing?: OutgoingBody;
  /** Default `application/json; charset=utf-8` where there is a body. */
  readonly contentType?: string;
  /** Further headers; several values make several headers (Set-Cookie). Values with control characters are refused. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

/** Answers a request. May throw: the server then answers 500 and logs. Return a value, not a promise, where nothing waits. */
export type HttpHandler = (request: HttpRequest) => HttpAnswer | Promise<HttpAnswer>;
