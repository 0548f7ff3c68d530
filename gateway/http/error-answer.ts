/** The HTTP face of the error catalogue (specification, "Errors"): the one place where an error becomes an answer. */
import type { ErrorCode, ServiceError } from '../../protocol/errors.ts';
import type { HttpAnswer } from './message.ts';

/** `docsUrl` of an error: the page of its area for auth and validation, else the page of all errors. */
function pageOf(code: ErrorCode, docsUrl: string): string {
  const area = code.split('/')[1];
  return area === 'auth' || area === 'validation' ? `${docsUrl}/errors/${area}` : `${docsUrl}/errors`;
}

/** The fields of an error body (specification, "Errors"). */
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
    docsUrl: pageOf(error.code, docsUrl),
    ...(error.details === undefined ? {} : { details: error.details }),
  };
}

/** The whole answer. 429 and 503 always say when to come back; 401 names the scheme (RFC 9110 section 11.6.1). */
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
  return {
    status: error.http,
    body: JSON.stringify(errorBody(error, requestId, docsUrl)),
    headers: own,
  };
}
