/**
 * The text of what crosses between nodes. An answer is one of
 *
 *   {"reply": ...}
 *   {"error": {"code", "message", "http", "details"?, "retryAfterSeconds"?}}
 *   {"noOwner": true}
 */
import { errors, ServiceError, type ErrorCode } from '../../protocol/errors.ts';
import { internalError } from '../failures.ts';
import { NoOwner, type Envelope } from './transport.ts';

interface WireError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly http: number;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly retryAfterSeconds?: number;
}

interface WireAnswer {
  readonly reply?: unknown;
  readonly error?: WireError;
  readonly noOwner?: true;
}

/** Only what JSON can hold arrives. */
export function encodeEnvelope(envelope: Envelope): string {
  return JSON.stringify(envelope);
}

/** Trusts its input: only nodes of the cluster can write to its subjects. */
export function decodeEnvelope(text: string): Envelope {
  return JSON.parse(text) as Envelope;
}

/** The answer of a handler that did not fail; `undefined` arrives as undefined. */
export function encodeReply(reply: unknown): string {
  return JSON.stringify({ reply });
}

/** Anything but a `ServiceError` and `NoOwner` crosses as an internal error, without its text. */
export function encodeFailure(failure: unknown): string {
  if (failure instanceof NoOwner) return JSON.stringify({ noOwner: true });
  const { code, message, http, details, retryAfterSeconds } =
    failure instanceof ServiceError ? failure : internalError();
  return JSON.stringify({ error: { code, message, http, details, retryAfterSeconds } });
}

/** The reply; throws the `ServiceError`, or `NoOwner`. */
export function decodeAnswer(text: string): unknown {
  const { reply, error, noOwner } = JSON.parse(text) as WireAnswer;
  if (noOwner === true) throw new NoOwner();
  if (error === undefined) return reply;
  // A newer node may know more codes than this one.
  if (!(error.code in errors)) throw internalError();
  const { code, ...options } = error;
  throw new ServiceError(code, options);
}
