/** Errors of the database: which of them pass, which a statement may have brought upon itself, and which name a key that is taken. */
import { UniqueConstraintViolationException } from '@mikro-orm/core';

/** Serialization, deadlock, a lock that was not available in time, cancelled at a time limit or by a person (PostgreSQL, appendix A). */
const interruptions: ReadonlySet<unknown> = new Set(['40001', '40P01', '55P03', '57014']);

/** Serialization, deadlock, a lock that was not available in time. */
const blocks: ReadonlySet<unknown> = new Set(['40001', '40P01', '55P03']);

/** What skein_fence raises: a commit or a row was refused, and its detail says which. */
export const fenceState = 'SK001';

/** read_only_sql_transaction: a standby that a failover has not promoted yet, or a server that was told to take no writes. */
const readOnly = '25006';

/** Shutting down, crashed, starting up, taking no writes. */
const outages: ReadonlySet<unknown> = new Set(['57P01', '57P02', '57P03', readOnly]);

/** The connection was not made, or is lost. */
const connectionErrors: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** How pg begins its messages about a connection that is lost or could not be had in time: these errors have no code. */
const messagesWithoutCode =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|timeout exceeded when trying to connect|Query read timeout)/;

/**
 * Whether an error of the driver, or of the ORM that wraps it, says that the database is away or too busy for now: the same request
 * may succeed in a moment.
 */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code: unknown = 'code' in error ? error.code : undefined;
  if (code === undefined) return messagesWithoutCode.test(error.message);
  return (
    outages.has(code) ||
    connectionErrors.has(code) ||
    isConnectionException(code) ||
    isInterrupted(error) ||
    isOutOfResources(error)
  );
}

/**
 * Whether the server gave the transaction up at a limit of time or over a lock. This passes when others were the cause, and repeats itself
 * when the transaction is.
 */
export function isInterrupted(error: unknown): boolean {
  return error instanceof Error && 'code' in error && interruptions.has(error.code);
}

/**
 * Whether the transaction was given up over a lock that another one holds. This says nothing of how long its own work takes.
 */
export function isBlocked(error: unknown): boolean {
  return error instanceof Error && 'code' in error && blocks.has(error.code);
}

/** Whether the server takes no writes, whoever asks: another one may. */
export function isReadOnly(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === readOnly;
}

/** A standby: reads of it are stale, and it takes no writes. */
export class StandbyServer extends Error {
  override readonly name = 'StandbyServer';
  readonly code = readOnly;
}

/** Class 53: the server has no disk, memory or connection left, whoever asks. */
export function isOutOfResources(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^53[0-9A-Z]{3}$/.test(String(error.code));
}

/** Class 08 of the SQL standard, which poolers in front of the server use; 08P01 is a fault in what we sent. */
function isConnectionException(code: unknown): boolean {
  return typeof code === 'string' && /^08[0-9A-Z]{3}$/.test(code) && code !== '08P01';
}

/** Whether the database refused a row because its key is taken, by the name of the constraint. */
export function violatesConstraint(error: unknown, constraint: string): boolean {
  return (
    error instanceof UniqueConstraintViolationException &&
    (error as { readonly constraint?: unknown }).constraint === constraint
  );
}
