import { ApiError } from '../sdk/index.ts';

/** What an answer tells of a refusal within it. */
export interface Refusal {
  readonly code: string;
  /** In the server's words. */
  readonly reason: string;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

/** As if the request itself had been refused so: it is told in the same words. */
export function createRefusal({ code, reason, details }: Refusal): ApiError {
  return new ApiError({
    status: 422,
    code,
    reason,
    details,
    requestId: undefined,
    docsUrl: undefined,
    retryAfterSeconds: undefined,
    headers: new Headers(),
  });
}
