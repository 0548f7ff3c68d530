/** What was written and not sent yet, by thread, replies and notes apart. It outlives a reload of its tab, and ends with it or at sign-out. */
export type WrittenKind = 'reply' | 'note';

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

  get(threadId: string, kind: WrittenKind): string {
    return this.#storage.getItem(this.#toKey(threadId, kind)) ?? '';
  }

  set(threadId: string, kind: WrittenKind, text: string): void {
    const key = this.#toKey(threadId, kind);
    if (text === '') this.#storage.removeItem(key);
    else this.#storage.setItem(key, text);
    for (const listener of this.#listeners) listener();
  }

  #toKey(threadId: string, kind: WrittenKind): string {
    return `${this.#prefix}${threadId}:${kind}`;
  }
}
