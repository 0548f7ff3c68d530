/** The language of an app: one catalogue of texts for each, of the same shape, loaded when it is needed. */
import { createContext, useContext, useEffect, useState, type ReactNode } from 'react';

export interface Language<T> {
  /** BCP 47. */
  readonly tag: string;
  readonly texts: T;
}

export interface Languages<T> {
  readonly first: Language<T>;
  /** By the primary part of the tag: `de`. */
  readonly others: Readonly<Record<string, () => Promise<Language<T>>>>;
}

const chosenKey = 'skein-language';

/** The language that the reader chose, else the first of the browser's that there is. */
export function findLanguage(
  known: readonly string[],
  chosen: string | null,
  wanted: readonly string[],
): string {
  const candidates = [...(chosen === null ? [] : [chosen]), ...wanted].map(tag => tag.split('-')[0] ?? '');
  return candidates.find(tag => known.includes(tag)) ?? known[0] ?? 'en';
}

/** Makes the component that provides an app's texts, and the hook that takes them. */
export function createTexts<T>({ first, others }: Languages<T>) {
  const Context = createContext<Language<T>>(first);

  function TextsProvider({ children }: { readonly children: ReactNode }) {
    const [language, setLanguage] = useState<Language<T>>();
    useEffect(() => {
      const known = [first.tag, ...Object.keys(others)];
      const tag = findLanguage(known, localStorage.getItem(chosenKey), navigator.languages);
      const load = others[tag];
      const show = (loaded: Language<T>) => {
        document.documentElement.lang = loaded.tag;
        setLanguage(loaded);
      };
      // A language that cannot be loaded is no reason to show nothing.
      void (load === undefined ? Promise.resolve(first) : load().catch(() => first)).then(show);
    }, []);
    // For some milliseconds, and not in a language that is about to be replaced.
    if (language === undefined) return null;
    return <Context value={language}>{children}</Context>;
  }

  return {
    TextsProvider,
    useTexts: (): T => useContext(Context).texts,
    useLanguageTag: (): string => useContext(Context).tag,
  };
}

/** Takes effect when the page is loaded again. */
export function chooseLanguage(tag: string): void {
  localStorage.setItem(chosenKey, tag);
  location.reload();
}
