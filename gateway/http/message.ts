/**
 * A request and its answer as the rest of the gateway sees them: plain values, nothing of the server beneath. The
 * server (server.ts) makes the one and consumes the other.
 */

/** A request whose body has been read to its end. */
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
  /** Empty on routes that read no body. */
  readonly body: Buffer;
  /** A header by its lower-case name, empty when absent; repeated headers are joined as RFC 9110 section 5.3 says. */
  header(name: string): string;
}

/** What to answer. X-Request-Id, Service-Version and the security headers are added by the server. */
export interface HttpAnswer {
  readonly status: number;
  /** Text is sent as UTF-8; absent: no body. */
  readonly body?: string | Uint8Array;
  /** Default `application/json; charset=utf-8` where there is a body. */
  readonly contentType?: string;
  /** Further headers; several values make several headers (Set-Cookie). Values with control characters are refused. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

/** Answers a request. May throw: the server then answers 500 and logs. Return a value, not a promise, where nothing waits. */
export type HttpHandler = (request: HttpRequest) => HttpAnswer | Promise<HttpAnswer>;
