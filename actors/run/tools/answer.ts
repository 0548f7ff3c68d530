/** What a tool's answer, or the want of one, means: for the model, for the next attempt, and for the tool's circuit. */
import type { OutboundResult } from '../../../runtime/pool/messages.ts';
import { storable, storableText } from '../storable.ts';
import type { Blotter } from './blotter.ts';
import { largestAnswer } from './request.ts';

/** Characters of the body of a failure that the model is told. */
const longestReport = 4_000;

export interface Judgement {
  readonly httpStatus: number | null;
  readonly result: unknown;
  /** Null: it has succeeded. */
  readonly error: string | null;
  /** Whether the same request may succeed in a moment. */
  readonly passes: boolean;
  /** Whether the tool itself has failed, and not the request. */
  readonly isToolsFault: boolean;
}

export function judge(result: OutboundResult, blotter: Blotter): Judgement {
  const { status } = result;
  if (status === undefined) {
    const error = `the tool gave no answer: ${blotter.text(storableText(result.error ?? 'it was lost'))}`;
    const passes = result.failure !== 'blocked_address';
    return { httpStatus: null, result: null, error, passes, isToolsFault: true };
  }
  if (status >= 200 && status < 300) {
    if (result.truncated === true) {
      const error = `the answer is too large: more than ${largestAnswer / 1_024} KiB`;
      return { httpStatus: status, result: null, error, passes: false, isToolsFault: true };
    }
    const value = blotter.value(valueOf(result));
    return { httpStatus: status, result: value, error: null, passes: false, isToolsFault: false };
  }
  const redirects = status >= 300 && status < 400 ? '; redirections are not followed' : '';
  const error = `the tool answered ${status}${redirects}`;
  const value = blotter.value(valueOf(result));
  const text = typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value);
  const body = text.slice(0, longestReport).toWellFormed();
  return {
    httpStatus: status,
    // With the body, which often says what is wrong with the arguments.
    result: body === '' ? null : { error, body },
    error,
    passes: status === 429 || status >= 500,
    isToolsFault: status >= 500,
  };
}

/** JSON where it says so or looks so, else text; null where there is nothing. */
function valueOf({ body = '', contentType = '' }: OutboundResult): unknown {
  if (body.trim() === '') return null;
  if (/\bjson\b/i.test(contentType) || /^\s*[[{]/.test(body)) {
    try {
      return storable(JSON.parse(body) as unknown);
    } catch {
      // It only says so.
    }
  }
  return storableText(body);
}

/** The wait that the tool asks for, in milliseconds (RFC 9110, section 10.2.3). */
export function waitOf({ retryAfter }: OutboundResult, now: number): number {
  if (retryAfter === undefined) return 0;
  if (/^\d{1,9}$/.test(retryAfter.trim())) return Number(retryAfter) * 1_000;
  const date = Date.parse(retryAfter);
  return Number.isNaN(date) ? 0 : Math.max(0, date - now);
}
