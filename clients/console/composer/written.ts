/** What was written and not sent yet, by thread, replies and notes apart. It outlives a reload of its tab, and ends with it or at sign-out. */
export type WrittenKind = 'reply' | 'note';

/** Also the edited text of a suggestion, by its run. */
type StoredKind = WrittenKind | 'suggestion';

export type TextStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

export class WrittenTexts {
  readonly #storage: TextStorage;
  readonly #prefix: string;
  readonly #listeners = new Set<() => void>();

  /** @param owner whose texts they are: another person in the same tab does not see them */
  constructor(storage: TextStorage, owner: string) {
    this.#storage = storage;
    this.#prefix = `skein-written:${owner}:`;
  }

  /** Returns what removes the listener. */
  readonly onChange = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  get(id: string, kind: StoredKind): string {
    return this.#storage.getItem(this.#toKey(id, kind)) ?? '';
  }

  set(id: string, kind: StoredKind, text: string): void {
    const key = this.#toKey(id, kind);
    if (text === '') this.#storage.removeItem(key);
    else this.#storage.setItem(key, text);
    for (const listener of this.#listeners) listener();
  }

  #toKey(id: string, kind: StoredKind): string {
    return `${this.#prefix}${id}:${kind}`;
  }
}
