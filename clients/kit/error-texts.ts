/** Errors in the reader's language, in texts that are loaded at the first one. */
import { useEffect, useState } from 'react';
import type { ErrorTexts } from './texts/en-errors.ts';
import { toErrorText } from './to-error-text.ts';

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
