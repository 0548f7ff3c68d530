/**
 * What the client throws. An answer of the service is an `ApiError` or one of its three subclasses; no answer is a `ConnectionError` or a
 * `TimeoutError`. `kind` says the same as the class, and is what to switch over where the ESM and the CommonJS copy of this package meet:
 * `instanceof` fails between them.
 */
import type { ErrorBody, ErrorCode } from './generated/types.ts';

/** Anything that this package throws, but for a TypeError where it is called wrongly. */
export abstract class SkeinError extends Error {
  abstract readonly kind:
    | 'auth'
    | 'validation'
    | 'rate_limit'
    | 'api'
    | 'connection'
    | 'timeout'
    | 'signature';
}

/** No answer: there is no server, no way to it, no trust in its certificate, or the connection was lost. */
export class ConnectionError extends SkeinError {
  override readonly name = 'ConnectionError';
  readonly kind = 'connection';
  /** The platform's code, where it gives one: `ECONNREFUSED`, `ENOTFOUND`, `CERT_HAS_EXPIRED`. */
  readonly code: string | undefined;

  constructor(
    message: string,
    options: { readonly cause?: unknown; readonly code?: string | undefined } = {},
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.code = options.code;
  }
}

/** No answer in time. */
export class TimeoutError extends SkeinError {
  override readonly name = 'TimeoutError';
  readonly kind = 'timeout';
}

/** What an error's answer holds. */
export interface ErrorAnswer {
  readonly status: number;
  /** `svc/<area>/<reason>`; `http/<status>` where something before the service answered, such as a proxy. */
  readonly code: ErrorCode | (string & {});
  /** The service's own words. */
  readonly reason: string;
  readonly requestId: string | undefined;
  readonly docsUrl: string | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly headers: Headers;
}

/** The answer is an error. `message` is the code, the reason and the request id in one line. */
export class ApiError extends SkeinError implements ErrorAnswer {
  override readonly name: string = 'ApiError';
  readonly kind: 'auth' | 'validation' | 'rate_limit' | 'api' = 'api';
  declare readonly status: number;
  /** `svc/<area>/<reason>`; `http/<status>` where something before the service answered, such as a proxy. */
  declare readonly code: ErrorCode | (string & {});
  /** The service's own words. */
  declare readonly reason: string;
  /** Quote it when you ask for help. */
  declare readonly requestId: string | undefined;
  /** Leads to what the code means, and what to do about it. */
  declare readonly docsUrl: string | undefined;
  /** What to correct, if anything. */
  declare readonly details: Readonly<Record<string, unknown>> | undefined;
  declare readonly retryAfterSeconds: number | undefined;
  readonly #headers: Headers;

  constructor({ headers, ...answer }: ErrorAnswer) {
    const { code, reason, requestId } = answer;
    super(`${code}: ${reason}${requestId === undefined ? '' : ` (${requestId})`}`);
    Object.assign(this, answer);
    this.#headers = headers;
  }

  /** Of the answer. No field, so that logs of errors stay short. */
  get headers(): Headers {
    return this.#headers;
  }

  /** As the service writes it. */
  toJSON(): object {
    const { code, reason, requestId, docsUrl, details } = this;
    return { error: code, message: reason, requestId, docsUrl, details };
  }
}

/** 401 and 403: there is no credential, it is no good any more, or it may not do this. */
export class AuthError extends ApiError {
  override readonly name = 'AuthError';
  override readonly kind = 'auth';
}

/** One broken rule. */
export interface Issue {
  /** The part of the request and a JSON pointer into it: `/body/tags/1`, `/query/limit`. */
  readonly path: string;
  readonly message: string;
  /** The rule: a keyword of JSON Schema, or a code of the service's own. */
  readonly code: string;
}

/** The request breaks its schema, or makes no sense. */
export class ValidationError extends ApiError {
  override readonly name = 'ValidationError';
  override readonly kind = 'validation';

  /** What is wrong where; empty where the answer does not say. */
  get issues(): readonly Issue[] {
    const issues = this.details?.['issues'];
    return Array.isArray(issues) ? (issues as readonly Issue[]) : [];
  }
}

/** 429: the quota is used up. `retryAfterSeconds` says when there is more. */
export class RateLimitError extends ApiError {
  override readonly name = 'RateLimitError';
  override readonly kind = 'rate_limit';
}

const invalidRequests: ReadonlySet<string> = new Set([
  'svc/runtime/invalid_request',
  'svc/runtime/missing_idempotency_key',
]);
/** Of answers that are not the service's own. */
const invalidStatuses: ReadonlySet<number> = new Set([400, 413, 414, 422, 431]);

/**
 * The error of an answer.
 *
 * @param text its body: the service's JSON, or whatever a proxy has to say
 */
export function createApiError(response: Response, text: string): ApiError {
  const answer = parseErrorAnswer(response, text);
  const { status, code } = answer;
  if (status === 401 || status === 403) return new AuthError(answer);
  if (status === 429) return new RateLimitError(answer);
  const isInvalid = code.startsWith('http/')
    ? invalidStatuses.has(status)
    : code.startsWith('svc/validation/') || invalidRequests.has(code);
  return isInvalid ? new ValidationError(answer) : new ApiError(answer);
}

function parseErrorAnswer({ status, statusText, headers }: Response, text: string): ErrorAnswer {
  const body = parseErrorBody(text);
  return {
    status,
    headers,
    code: body?.error ?? `http/${status}`,
    reason: body?.message ?? describeForeignAnswer(status, statusText, headers),
    requestId: body?.requestId ?? headers.get('x-request-id') ?? undefined,
    docsUrl: body?.docsUrl,
    details: body?.details,
    retryAfterSeconds: parseRetryAfter(headers.get('retry-after')),
  };
}

function parseErrorBody(text: string): ErrorBody | undefined {
  try {
    const body = JSON.parse(text) as Partial<ErrorBody> | null;
    return typeof body?.error === 'string' ? (body as ErrorBody) : undefined;
  } catch {
    return undefined;
  }
}

/** Of an answer that is not the service's: an HTML page says little in a log, so its kind is named and not its text. */
function describeForeignAnswer(status: number, statusText: string, headers: Headers): string {
  const location = headers.get('location');
  if (location !== null) return `redirected to ${location}: is that the base URL?`;
  const type = headers.get('content-type') ?? 'no content type';
  return (
    `${status} ${statusText}`.trim() +
    ` (${type}) is no answer of Skein: check the base URL, and what stands before the server`
  );
}

/** Whole seconds, or the time until a date; undefined where there is neither. */
function parseRetryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header)) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1000));
}
