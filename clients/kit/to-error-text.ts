import { ApiError, ConnectionError, TimeoutError } from '../sdk/index.ts';
import type { ErrorText, ErrorTexts } from './texts/en-errors.ts';

/**
 * An error by its code. What the code does not tell, and codes that are not known, in the server's words.
 *
 * @param texts undefined: they could not be loaded
 */
export function toErrorText(error: unknown, texts: ErrorTexts | undefined): string {
  if (!(error instanceof ApiError)) {
    const isUnreachable = error instanceof ConnectionError || error instanceof TimeoutError;
    if (isUnreachable && texts !== undefined) return texts.unreachable;
    return error instanceof Error ? error.message : String(error);
  }
  const { code, reason, requestId = '' } = error;
  if (texts === undefined) return reason;
  const known: Readonly<Partial<Record<string, ErrorText>>> = texts.errors;
  const text = known[code];
  if (text === undefined) return requestId === '' ? reason : texts.other(reason, requestId);
  return typeof text === 'string' ? text : text(reason, requestId);
}
