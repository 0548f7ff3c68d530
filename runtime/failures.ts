/** What an asker is told when something fails: always a `ServiceError`. */
import { ServiceError } from '../protocol/errors.ts';
import { Duplicate, Fenced, Unavailable } from './store.ts';
import { NoOwner } from './transport/transport.ts';

/** Why the runtime could not take a command now; goes out as `details.reason`. */
export type Reason =
  /** A mailbox or the node's budget is full. */
  | 'overloaded'
  /** The deadline passed before the command's turn, or before an owner of its shard was found. */
  | 'deadline'
  /** Another writer of the actor won every time. */
  | 'contention'
  /** The store does not answer. */
  | 'store'
  /** Nobody owns the actor's shard. */
  | 'no_owner'
  /** The way to the actor's node was lost before its answer came: the outcome is unknown. */
  | 'connection'
  /** The node is going down. */
  | 'draining';

/** A 503 that may be tried again after a second. */
export function unavailable(reason: Reason): ServiceError {
  return new ServiceError('svc/runtime/unavailable', { retryAfterSeconds: 1, details: { reason } });
}

/** 500 without a reason: the log has it. */
export function internalError(): ServiceError {
  return new ServiceError('svc/runtime/internal_error');
}

/**
 * The answer to a failed command. Undefined when the error is a defect, which the caller logs and answers as
 * `svc/runtime/internal_error`.
 */
export function serviceErrorOf(error: unknown): ServiceError | undefined {
  if (error instanceof ServiceError) return error;
  if (error instanceof Fenced) return unavailable('contention');
  if (error instanceof Unavailable) return unavailable('store');
  if (error instanceof NoOwner) return unavailable('no_owner');
  if (error instanceof Duplicate) {
    return error.scope === 'idempotency'
      ? new ServiceError('svc/runtime/idempotency_conflict')
      : new ServiceError('svc/runtime/conflict', { details: { scope: error.scope } });
  }
  return undefined;
}

/** Whether the error is the actor's word on the command, so that asking again would only hear it again. */
export function isRefusal(error: unknown): error is ServiceError {
  return (
    error instanceof ServiceError &&
    error.code !== 'svc/runtime/internal_error' &&
    error.code !== 'svc/runtime/unavailable'
  );
}

/** The error as a line of text, for a dead letter. */
export function textOf(error: unknown): string {
  return error instanceof ServiceError ? `${error.code}: ${error.message}` : String(error);
}
