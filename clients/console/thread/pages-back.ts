/** A list that comes newest first, read as far back as it is needed. */
import type { Page } from '../../sdk/index.ts';

export interface PagesBackOptions<Item> {
  /** Without a cursor: the newest page. */
  readonly read: (cursor: string | undefined) => PromiseLike<Pick<Page<Item>, 'data' | 'nextCursor'>>;
  readonly take: (items: readonly Item[]) => void;
}

export class PagesBack<Item> {
  readonly #options: PagesBackOptions<Item>;
  /** Of the next page; null: there is none. */
  #cursor: string | null | undefined;
  #oldest: Item | undefined;
  /** One page after the other. */
  #reading: Promise<void> = Promise.resolve();

  constructor(options: PagesBackOptions<Item>) {
    this.#options = options;
  }

  /** The newest page, which may have changed since. What is older is read anew when it is needed. */
  readNewest(): Promise<void> {
    return this.#enqueue(async () => {
      this.#cursor = undefined;
      this.#oldest = undefined;
      await this.#readPage(undefined);
    });
  }

  /** @param isFarEnough whether nothing older than the item is needed */
  readBackTo(isFarEnough: (oldest: Item) => boolean): Promise<void> {
    return this.#enqueue(async () => {
      while (this.#cursor !== null && !(this.#oldest !== undefined && isFarEnough(this.#oldest)))
        await this.#readPage(this.#cursor);
    });
  }

  #enqueue(work: () => Promise<void>): Promise<void> {
    const reading = this.#reading.then(work);
    this.#reading = reading.catch(() => undefined);
    return reading;
  }

  async #readPage(cursor: string | undefined): Promise<void> {
    const { data, nextCursor } = await this.#options.read(cursor);
    this.#cursor = nextCursor;
    this.#oldest = data.at(-1) ?? this.#oldest;
    this.#options.take(data);
  }
}
