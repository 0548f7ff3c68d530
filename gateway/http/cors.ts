/**
 * Which pages of other origins may read answers (the Fetch standard, "CORS protocol"). Without any configured origin nothing here runs, and
 * browsers keep other origins out.
 *
 * Pages send their credential in a header of their own. Cookies are for the pages of the service's own origin, which may have another
 * address in the browser than the one that is asked.
 */
import type { HttpResponse } from 'uWebSockets.js';
import type { HttpAnswer, HttpRequest } from './message.ts';

/** What a page asks for; the rest of a node is for operators. */
const servedPaths = /^\/(?:v1|media)\//;

/** Headers of answers that a page may read, beside those that it always may. */
const exposed = [
  'X-Request-Id',
  'Service-Version',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'Idempotent-Replayed',
  'ETag',
  'WWW-Authenticate',
  'Content-Disposition',
  'Content-Range',
  'Accept-Ranges',
].join(', ');

const preflightHeaders = {
  'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'Access-Control-Allow-Headers':
    'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, If-Range, Range, Service-Acting-User',
  // Two hours: browsers keep it no longer. It is kept for each address and method.
  'Access-Control-Max-Age': '7200',
};

export class Cors {
  readonly #own: string;
  readonly #origins: ReadonlySet<string>;

  /** @param own the origin of the service's public address: it may send cookies */
  constructor(origins: readonly string[], own: string) {
    this.#own = own;
    this.#origins = new Set([own, ...origins]);
  }

  /** The answer to a question that a browser asks before a page's request; undefined: it is none, or of an unknown origin. */
  preflight(request: HttpRequest): HttpAnswer | undefined {
    if (request.method !== 'OPTIONS' || request.header('access-control-request-method') === '')
      return undefined;
    if (!servedPaths.test(request.path) || !this.#origins.has(request.header('origin'))) return undefined;
    return { status: 204, headers: preflightHeaders };
  }

  /** Writes the headers that an answer has for the page that asked. Caches are told that they differ by origin, whoever asked. */
  write(res: HttpResponse, request: Pick<HttpRequest, 'path' | 'header'>): void {
    if (!servedPaths.test(request.path)) return;
    res.writeHeader('Vary', 'Origin');
    const origin = request.header('origin');
    if (!this.#origins.has(origin)) return;
    res.writeHeader('Access-Control-Allow-Origin', origin);
    res.writeHeader('Access-Control-Expose-Headers', exposed);
    if (origin === this.#own) res.writeHeader('Access-Control-Allow-Credentials', 'true');
  }
}
