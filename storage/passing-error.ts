/** Errors of the database that pass: the same request may succeed in a moment. */

/** Deadlock, serialization, out of resources, given up, shutting down, starting up (PostgreSQL, appendix A). */
const passingStates: ReadonlySet<unknown> = new Set([
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

/** How pg begins what it says of a connection that is lost or was not to be had in time: it gives these errors no code. */
const codeless =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|timeout exceeded when trying to connect|Query read timeout)/;

/** Whether an error of the driver, or of the ORM that wraps it, says that the database is away or too busy for now. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code: unknown = 'code' in error ? error.code : undefined;
  if (code === undefined) return codeless.test(error.message);
  return passingStates.has(code) || connectionErrors.has(code) || isConnectionException(code);
}

/** Class 08 of the SQL standard, as poolers before the server use it; 08P01 is a fault in what we sent. */
function isConnectionException(code: unknown): boolean {
  return typeof code === 'string' && /^08[0-9A-Z]{3}$/.test(code) && code !== '08P01';
}
