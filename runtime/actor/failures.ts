/** What a caller gets when something fails: always a `ServiceError`. */
import { ServiceError } from '../../protocol/errors.ts';
import { Duplicate, Fenced, LimitReached, OutcomeUnknown, StoreUnavailable } from './store.ts';

/** No node serves the shard at the moment: the router retries until the deadline. */
export class NoOwner extends Error {
  override readonly name = 'NoOwner';
}

/** Why the runtime cannot take a command now: `details.reason` of the answer. */
export type UnavailableReason =
  /** A mailbox or the node's budget is full. */
  | 'overloaded'
  /** The deadline passed before the command's turn. */
  | 'deadline'
  /** Another writer of the actor won each time. */
  | 'contention'
  /** The store does not answer. */
  | 'store'
  /** No node served the actor's shard until the deadline. */
  | 'no_owner'
  /** The connection to the actor's node, or of that node to the database, was lost before the answer came: the outcome is unknown. */
  | 'connection'
  /** The node is shutting down. */
  | 'draining';

/** 503, to be retried after a second. */
export function unavailable(reason: UnavailableReason): ServiceError {
  return new ServiceError('svc/runtime/unavailable', { retryAfterSeconds: 1, details: { reason } });
}

/** 500 without details: the log has them. */
export function internalError(): ServiceError {
  return new ServiceError('svc/runtime/internal_error');
}

/**
 * The answer to a failed command. Undefined for a defect, which the caller logs and answers as `svc/runtime/internal_error`.
 */
export function toServiceError(error: unknown): ServiceError | undefined {
  if (error instanceof ServiceError) return error;
  if (error instanceof Fenced) return unavailable('contention');
  if (error instanceof StoreUnavailable) return unavailable('store');
  if (error instanceof OutcomeUnknown) return unavailable('connection');
  if (error instanceof LimitReached) {
    const { limit, most } = error;
    const advice = limit.startsWith('unverified')
      ? ' It is higher once an owner of the workspace has verified their e-mail address.'
      : '';
    const message = `There can be no more: the limit ${limit} is ${most.toLocaleString('en-GB')}.${advice}`;
    return new ServiceError('svc/runtime/conflict', { message, details: { limit, most } });
  }
  if (error instanceof NoOwner) return unavailable('no_owner');
  if (error instanceof Duplicate) {
    return error.scope === 'idempotency'
      ? new ServiceError('svc/runtime/idempotency_conflict')
      : new ServiceError('svc/runtime/conflict', { details: { scope: error.scope } });
  }
  return undefined;
}

/** Whether the actor itself refused the command, so that it would do so again. */
export function isRefusal(error: unknown): error is ServiceError {
  return (
    error instanceof ServiceError &&
    error.code !== 'svc/runtime/internal_error' &&
    error.code !== 'svc/runtime/unavailable'
  );
}

/** The error as a line of text, for a dead letter. */
export function describeError(error: unknown): string {
  return error instanceof ServiceError ? `${error.code}: ${error.message}` : String(error);
}
