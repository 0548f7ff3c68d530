/** Where the browser keeps what people have written and not sent, so that signing out can take all of it away. */

/** Behind it: whose it is, the project, and what it belongs to. */
export const draftPrefix = 'skein-draft:';

/** What is used of the browser's storage, or of that of a test. */
export type DraftStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

export function listDraftKeys(storage: DraftStorage, prefix: string = draftPrefix): string[] {
  const keys: string[] = [];
  for (let index = 0; index < storage.length; index++) {
    const key = storage.key(index);
    if (key?.startsWith(prefix) === true) keys.push(key);
  }
  return keys;
}

/** Of everybody: whoever signs out leaves nothing for the next one. */
export function clearDrafts(storage: DraftStorage): void {
  for (const key of listDraftKeys(storage)) storage.removeItem(key);
}
