/**
 * A request and its answer as the rest of the gateway sees them: plain values, nothing of the server beneath. The
 * server (server.ts) makes the one and consumes the other. An entry of the error catalogue (protocol/errors.ts) becomes an answer here,
 * and nowhere else.
 */
import type { Readable } from 'node:stream';
import type { ErrorCode, ServiceError } from '../../protocol/errors.ts';

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
   * left is then discarded.
   */
  readonly incoming?: Readable | undefined;
  /** A header by its lower-case name, empty when absent; repeated headers are joined as RFC 9110 section 5.3 says. */
  header(name: string): string;
}

/** A body that is not held in memory. */
export interface OutgoingBody {
  /** Destroyed once it is no longer needed. */
  readonly stream: Readable;
  /** Exactly as many bytes as the stream gives. Absent: nobody knows, and the answer is sent in chunks (RFC 9112 section 7.1). */
  readonly size?: number;
}

/** What to answer. X-Request-Id, Service-Version and the security headers are added by the server. */
export interface HttpAnswer {
  readonly status: number;
  /** Text is sent as UTF-8; absent: no body. */
  readonly body?: string | Uint8Array;
  /** Instead of `body`, on routes that stream their answer. */
  readonly outgoing?: OutgoingBody;
  /** Default `application/json; charset=utf-8` where there is a body. */
  readonly contentType?: string;
  /** Further headers; several values make several headers (Set-Cookie). Values with control characters are refused. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

/** Answers a request. May throw: the server then answers 500 and logs. Return a value, not a promise, where nothing waits. */
export type HttpHandler = (request: HttpRequest) => HttpAnswer | Promise<HttpAnswer>;

/** `docsUrl` of an error: the page of its area for auth and validation, else the page of all errors. */
function getPageUrl(code: ErrorCode, docsUrl: string): string {
  const area = code.split('/')[1];
  return area === 'auth' || area === 'validation' ? `${docsUrl}/errors/${area}` : `${docsUrl}/errors`;
}

/** The fields of an error body. */
export interface ErrorBody {
  readonly error: ErrorCode;
  readonly message: string;
  readonly requestId: string;
  readonly docsUrl: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** @param docsUrl the base of the documentation, without a slash at its end */
export function errorBody(error: ServiceError, requestId: string, docsUrl: string): ErrorBody {
  return {
    error: error.code,
    message: error.message,
    requestId,
    docsUrl: getPageUrl(error.code, docsUrl),
    ...(error.details === undefined ? {} : { details: error.details }),
  };
}

/**
 * The whole answer. 429 and 503 always say when to retry; 401 names the scheme (RFC 9110 section 11.6.1), 415 what is taken
 * (RFC 9110 section 15.5.16).
 */
export function errorAnswer(
  error: ServiceError,
  requestId: string,
  docsUrl: string,
  headers?: Readonly<Record<string, string>>,
): HttpAnswer {
  const own: Record<string, string> = { ...headers };
  const retry = error.retryAfterSeconds ?? (error.http === 429 || error.http === 503 ? 1 : undefined);
  if (retry !== undefined) own['Retry-After'] = String(Math.max(1, Math.ceil(retry)));
  if (error.http === 401) own['WWW-Authenticate'] = 'Bearer';
  if (error.http === 415) own['Accept-Encoding'] = 'identity';
  return {
    status: error.http,
    body: JSON.stringify(errorBody(error, requestId, docsUrl)),
    headers: own,
  };
}
