/** Lists, page by page or item by item. */
import { Call, type Answer } from './call.ts';
import { ConnectionError } from './errors.ts';

/** One page of a list. */
export interface Page<T> {
  readonly data: T[];
  /** `cursor` of the next page; null after the last one. */
  readonly nextCursor: string | null;
  /** Whether there are more items. A page may be short, or empty, while there are. */
  readonly hasMore: boolean;
}

/** A list. Await it for its first page, go through all of its items with `for await`, or take them by `pages` or `toArray`. */
export class Listing<T> extends Call<Page<T>> implements AsyncIterable<T> {
  readonly #continueAt: (cursor: string) => Listing<T>;

  /** @param continueAt asks for the page behind a cursor */
  constructor(firstPage: Promise<Answer<Page<T>>>, continueAt: (cursor: string) => Listing<T>) {
    super(firstPage);
    this.#continueAt = continueAt;
  }

  /**
   * Page after page, each asked for when it is needed.
   *
   * @throws {ConnectionError} there are more, and the answer does not say where
   */
  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    let page: Page<T> = (await this.withResponse()).data;
    yield page;
    for (let before: string | null = null; page.hasMore;) {
      const { nextCursor } = page;
      // To end without a word would be taken for the end of the list.
      if (nextCursor === before || nextCursor === null) throw new ConnectionError('the list does not go on');
      page = (await this.#continueAt(nextCursor).withResponse()).data;
      before = nextCursor;
      yield page;
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const page of this.pages()) yield* page.data;
  }

  /** The first `limit` items; all of them without a limit. */
  async toArray(limit = Infinity): Promise<T[]> {
    const items: T[] = [];
    for await (const page of this.pages()) {
      items.push(...page.data);
      if (items.length >= limit) break;
    }
    return items.slice(0, Math.max(0, limit));
  }
}
