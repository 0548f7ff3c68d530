/** The Console's languages. */
import { createTexts } from '../../kit/texts/create-texts.tsx';
import { english } from './en/index.ts';

export type { ConsoleTexts } from './en/index.ts';

export const { TextsProvider, useTexts } = createTexts({
  first: { tag: 'en', texts: english },
  others: { de: async () => ({ tag: 'de', texts: (await import('./de/index.ts')).german }) },
});
