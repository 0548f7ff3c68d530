/** What a refusal of the provider means for the message that it refused. Decided on the code, as the provider asks for. */
import type { ProviderOutcome } from '../base/index.ts';
import type { GraphError } from './graph.ts';

/**
 * - `lost`: it may have taken the message; nobody sends it again.
 * - `connection`: it takes nothing with this connection, until somebody connects the channel again.
 * - `throttled`: it takes the message later, however often it was tried.
 * - `temporary`: it may take the message later; a few tries show.
 * - `refused`: it never takes the message.
 */
export type SendFailure = 'lost' | 'connection' | 'throttled' | 'temporary' | 'refused';

/** Free-form messages are over, whatever our own clock says. */
export const outsideWindowCode = 131047;

/** The pair of business and participant has exchanged too many messages. */
const pairLimitCode = 131056;

/** The token is no more, or may not do this; the number is gone; the account is locked. */
const connectionCodes: ReadonlySet<number> = new Set([0, 3, 10, 33, 190, 368, 131005, 131031]);
/** Permissions of one kind or another. */
const permissions = { first: 200, last: 299 };
/** Too many of something, by number, pair or account; and short maintenance. */
const throttledCodes: ReadonlySet<number> = new Set([
  4,
  80007,
  130429,
  131048,
  pairLimitCode,
  131057,
  131064,
  133016,
  2494100,
]);
/** Something went wrong there; 131053: with the file. */
const temporaryCodes: ReadonlySet<number> = new Set([1, 2, 131000, 131016, 131053, 133004]);

export function classifySendError(error: GraphError): SendFailure {
  const { code, isTransient, mayBeDone } = error;
  if (mayBeDone) return 'lost';
  // Nobody answered, or somebody in front of the provider did.
  if (code === undefined) return 'throttled';
  if (connectionCodes.has(code)) return 'connection';
  if (code >= permissions.first && code <= permissions.last) return 'connection';
  if (throttledCodes.has(code)) return 'throttled';
  return temporaryCodes.has(code) || isTransient ? 'temporary' : 'refused';
}

const outcomes = {
  lost: 'server_error',
  connection: 'credentials_refused',
  throttled: 'rate_limited',
  temporary: 'server_error',
  refused: 'refused',
} as const satisfies Record<SendFailure, ProviderOutcome>;

/** How a call has ended, for the metrics; undefined where nobody has waited for its end. */
export function toProviderOutcome(error: GraphError | undefined): ProviderOutcome | undefined {
  if (error === undefined) return 'succeeded';
  if (error.code !== undefined) return outcomes[classifySendError(error)];
  return error.noAnswer === 'stopped' ? undefined : (error.noAnswer ?? 'invalid_answer');
}

const firstRetryMs = 1_000;
const maxRetryMs = 60_000;

/** How long a message waits after the attempt with that number (1 is the first), in milliseconds. */
export function getSendRetryMs({ code }: GraphError, attempt: number): number {
  // For a pair the provider names the waits itself: 4^n seconds.
  if (code === pairLimitCode) return Math.min(4 ** (attempt - 1) * 1_000, 15 * maxRetryMs);
  return Math.min(2 ** (attempt - 1) * firstRetryMs, maxRetryMs);
}

/** Whether it refuses every message of the number for a while. */
export function isNumberThrottled({ code }: GraphError): boolean {
  return code === undefined || (code !== pairLimitCode && throttledCodes.has(code));
}

/** Whether it may be the file that the provider refuses, by an id that it has given itself. */
export function isFileRefusal({ code }: GraphError): boolean {
  return code === 100 || code === 131053;
}
