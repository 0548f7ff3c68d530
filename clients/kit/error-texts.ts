/** Errors in the reader's language, by their code: what the code does not tell, and codes that are not known, in the server's words. */
import { useEffect, useState } from 'react';
import { ApiError, ConnectionError, TimeoutError } from '../sdk/index.ts';
import type { ErrorText, ErrorTexts } from './texts/en-errors.ts';

/** They are in no first load: most visits need none of them. */
async function loadErrorTexts(): Promise<ErrorTexts> {
  return document.documentElement.lang.startsWith('de')
    ? (await import('./texts/de-errors.ts')).germanErrors
    : (await import('./texts/en-errors.ts')).englishErrors;
}

let loading: Promise<ErrorTexts | undefined> | undefined;

/** Undefined where they cannot be loaded; then the next error tries again. */
export function getErrorTexts(): Promise<ErrorTexts | undefined> {
  loading ??= loadErrorTexts().catch(() => {
    loading = undefined;
    return undefined;
  });
  return loading;
}

/** @param texts undefined: they could not be loaded */
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

/** What to tell somebody of an error. */
export async function describeError(error: unknown): Promise<string> {
  return toErrorText(error, await getErrorTexts());
}

/** The same, of what is drawn; undefined: there is no error, or for a moment. */
export function useErrorText(error: unknown): string | undefined {
  const [described, setDescribed] = useState<{ readonly error: unknown; readonly text: string }>();
  useEffect(() => {
    if (error == null) return undefined;
    let isShown = true;
    void describeError(error).then(text => {
      if (isShown) setDescribed({ error, text });
    });
    return () => {
      isShown = false;
    };
  }, [error]);
  return error != null && described?.error === error ? described.text : undefined;
}
