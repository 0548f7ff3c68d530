/** What the page of one's own account says: loaded with it, so that no app's first page pays for it. */
import { createTexts } from '../../texts/create-texts.tsx';
import { ownAccount as english } from './texts-en.ts';

export const { TextsProvider: OwnAccountTexts, useTexts: useOwnTexts } = createTexts({
  first: { tag: 'en', texts: english },
  others: { de: async () => ({ tag: 'de', texts: (await import('./texts-de.ts')).ownAccount }) },
});
