/** A request to the provider and its answer, as the routes see them. */
import type { IncomingMessage } from 'node:http';

export interface ProviderRequest {
  readonly method: string;
  /** The path without the version: `/123/messages`. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  /** Of the header, else of the query. */
  readonly token: string | undefined;
}

export interface ProviderAnswer {
  readonly status?: number;
  /** Sent as JSON, unless it is bytes. */
  readonly body: object | Buffer;
  readonly contentType?: string;
  /** Where a redirect leads. */
  readonly location?: string;
}

/** Answers a request, or throws a `ProviderError`. Undefined: it is not one of these routes. */
export type Route = (
  request: ProviderRequest,
) => ProviderAnswer | undefined | Promise<ProviderAnswer | undefined>;

/** The fields of a JSON or form body; of the query where there is no body. */
export function readFields({ headers, body, query }: ProviderRequest): Record<string, unknown> {
  if (body.length === 0) return Object.fromEntries(query);
  const type = headers['content-type'] ?? '';
  if (type.startsWith('application/json'))
    return JSON.parse(body.toString('utf8')) as Record<string, unknown>;
  return Object.fromEntries(new URLSearchParams(body.toString('utf8')));
}

/** A text of a body; empty where it is missing or something else. */
export function readText(fields: Readonly<Record<string, unknown>>, name: string): string {
  const value = fields[name];
  return typeof value === 'string' ? value : '';
}
