/** Errors of the database: which of them pass, and which name a key that is taken. */
import { UniqueConstraintViolationException } from '@mikro-orm/core';

/** Deadlock, serialization, out of resources, cancelled, shutting down, starting up (PostgreSQL, appendix A). */
const transientStates: ReadonlySet<unknown> = new Set([
  '40001',
  '40P01',
  '53000',
  '53100',
  '53200',
  '53300',
  '55P03',
  '57014',
  '57P01',
  '57P02',
  '57P03',
]);

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
  return transientStates.has(code) || connectionErrors.has(code) || isConnectionException(code);
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
