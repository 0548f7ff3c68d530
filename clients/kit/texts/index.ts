/** What all web apps say: their own texts are theirs. */
import { createTexts } from './create-texts.tsx';
import { english } from './en.ts';

export type KitTexts = typeof english;

export const {
  TextsProvider: KitTextsProvider,
  useTexts: useKitTexts,
  useLanguageTag,
} = createTexts({
  first: { tag: 'en', texts: english },
  others: { de: async () => ({ tag: 'de', texts: (await import('./de.ts')).german }) },
});
