/** Errors in the reader's language, in texts that are loaded at the first one. */
import { useEffect, useState } from 'react';
import { english } from './texts/en.ts';
import type { PlainErrorTexts } from './texts/en-errors.ts';
import { toErrorText } from './to-error-text.ts';

const isGerman = (): boolean => document.documentElement.lang.startsWith('de');

/** They are in no first load: most visits need none of them. */
async function loadErrorTexts(): Promise<PlainErrorTexts> {
  return isGerman()
    ? (await import('./texts/de-errors.ts')).germanErrors
    : (await import('./texts/en-errors.ts')).englishErrors;
}

/** What the page has, since it says everything else by it: no connection is needed for it. */
async function getPlainTexts(): Promise<PlainErrorTexts> {
  const { german } = isGerman() ? await import('./texts/de.ts') : { german: english };
  return german.account.problems;
}

let loading: Promise<PlainErrorTexts> | undefined;

/** Without those of the codes where they cannot be loaded; then the next error tries again. */
export function getErrorTexts(): Promise<PlainErrorTexts> {
  loading ??= loadErrorTexts().catch(() => {
    loading = undefined;
    return getPlainTexts();
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
