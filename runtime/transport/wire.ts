/**
 * The text of what crosses between nodes. A command's is its envelope, with the time that it has left (`leftMs`) instead of its
 * deadline: clocks are not compared, neither the nodes' with each other nor one with itself before it was put right. An answer is
 * one of
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

type Carried = Omit<Envelope, 'deadline'> & { readonly leftMs: number };

/** Only what JSON can hold arrives. `now`: by the monotonic clock here. */
export function encodeEnvelope({ deadline, ...rest }: Envelope, now: number): string {
  const carried: Carried = { ...rest, leftMs: Math.round(deadline - now) };
  return JSON.stringify(carried);
}

/** Trusts its input: only nodes of the cluster can write to its subjects. `now`: by the monotonic clock here. */
export function decodeEnvelope(text: string, now: number): Envelope {
  const { leftMs, ...rest } = JSON.parse(text) as Carried;
  return { ...rest, deadline: now + leftMs };
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
