/** A route of the server, as its exchanges need it. */
import { ServiceError } from '../../protocol/errors.ts';
import type { HttpHandler } from './message.ts';

/** What a route wants of its requests. */
export interface Route {
  readonly handler: HttpHandler;
  readonly method: string;
  /** As registered, for the log. */
  readonly pattern: string;
  /** Parameters in the pattern. */
  readonly paramCount: number;
  readonly readsBody: boolean;
  readonly maxBodyBytes: number;
  /** The handler gets the request with its head, and the body as it arrives. */
  readonly streamsBody: boolean;
  /** The handler gets requests whose body was not taken, too, and answers with `request.refused`. */
  readonly answersRefused: boolean;
  /** Served while the server is held, too. */
  readonly always: boolean;
  /** Answers with the head only (HEAD). */
  readonly headOnly: boolean;
}

/** 413 for a body beyond a route's limit. */
export function tooLarge(bytes: number): ServiceError {
  return new ServiceError('svc/validation/invalid_request', {
    http: 413,
    message: `The body is larger than ${bytes} bytes.`,
  });
}
