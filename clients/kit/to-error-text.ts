import { ApiError, ConnectionError, TimeoutError } from '../sdk/index.ts';
import type { PlainErrorTexts } from './texts/en-errors.ts';

/** An error by its code. What the code does not tell, and codes that are not known, in the server's words. */
export function toErrorText(error: unknown, texts: PlainErrorTexts): string {
  if (!(error instanceof ApiError)) {
    if (error instanceof ConnectionError || error instanceof TimeoutError) return texts.unreachable;
    return error instanceof Error ? error.message : String(error);
  }
  const { code, reason, requestId = '' } = error;
  const text = texts.errors?.[code];
  if (text === undefined) return requestId === '' ? reason : texts.other(reason, requestId);
  return typeof text === 'string' ? text : text(reason, requestId);
}
