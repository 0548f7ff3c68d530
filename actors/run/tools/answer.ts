/** What a tool's answer, or its absence, means for the model, for the next attempt, and for the tool's circuit. */
import type { OutboundResult } from '../../../runtime/outbound/index.ts';
import { toStorable, toStorableText } from '../storable.ts';
import type { Redactor } from './redactor.ts';
import { largestAnswer } from './request.ts';

/** The most characters of a failure's body that the model gets. */
const maxReportCharacters = 4_000;

export interface ToolAssessment {
  readonly httpStatus: number | null;
  readonly result: unknown;
  /** Null: the call has succeeded. */
  readonly error: string | null;
  /** Whether the same request may succeed in a moment. */
  readonly isTransient: boolean;
  /** Whether the tool itself has failed, and not the request. */
  readonly isToolsFault: boolean;
}

export function assessAnswer(result: OutboundResult, redactor: Redactor): ToolAssessment {
  const { status } = result;
  if (status === undefined) {
    const error = `the tool gave no answer: ${redactor.text(toStorableText(result.error ?? 'it was lost'))}`;
    const passes = result.failure !== 'blocked_address';
    return { httpStatus: null, result: null, error, isTransient: passes, isToolsFault: true };
  }
  if (status >= 200 && status < 300) {
    if (result.truncated === true) {
      const error = `the answer is too large: more than ${largestAnswer / 1_024} KiB`;
      return { httpStatus: status, result: null, error, isTransient: false, isToolsFault: true };
    }
    const value = redactor.value(parseBody(result));
    return { httpStatus: status, result: value, error: null, isTransient: false, isToolsFault: false };
  }
  const redirects = status >= 300 && status < 400 ? '; redirections are not followed' : '';
  const error = `the tool answered ${status}${redirects}`;
  const value = redactor.value(parseBody(result));
  const text = typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value);
  const body = text.slice(0, maxReportCharacters).toWellFormed();
  return {
    httpStatus: status,
    // The body often says what is wrong with the arguments.
    result: body === '' ? null : { error, body },
    error,
    isTransient: status === 429 || status >= 500,
    isToolsFault: status >= 500,
  };
}

/** JSON if the answer says so or looks like it, otherwise text. Null if there is none. */
function parseBody({ body = '', contentType = '' }: OutboundResult): unknown {
  if (body.trim() === '') return null;
  if (/\bjson\b/i.test(contentType) || /^\s*[[{]/.test(body)) {
    try {
      return toStorable(JSON.parse(body) as unknown);
    } catch {
      // It is not JSON after all.
    }
  }
  return toStorableText(body);
}

/** The wait that the tool asks for, in milliseconds: Retry-After (RFC 9110, section 10.2.3). */
export function getRequestedWait({ retryAfter }: OutboundResult, now: number): number {
  if (retryAfter === undefined) return 0;
  if (/^\d{1,9}$/.test(retryAfter.trim())) return Number(retryAfter) * 1_000;
  const date = Date.parse(retryAfter);
  return Number.isNaN(date) ? 0 : Math.max(0, date - now);
}
