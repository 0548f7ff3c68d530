/** Keeps a text in a storage of the browser, which may be full or switched off: what was chosen holds as long as the page then. */
export function keepText(storage: Pick<Storage, 'setItem'>, key: string, text: string): void {
  try {
    storage.setItem(key, text);
  } catch {
    // Nothing depends on it.
  }
}
