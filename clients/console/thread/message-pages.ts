/** Reads the messages of a thread into its history: the newest ones, those before and after what is shown, and those that were missed. */
import type { Message, Page, Skein } from '../../sdk/index.ts';
import type { ThreadHistory } from './history.ts';

const pageSize = 50;
/** Before and after a message that is jumped to. */
const halfPage = 25;
/** The contract's. */
const largestPage = 100;

export class MessagePages {
  readonly #threadId: string;
  readonly #client: Pick<Skein, 'messages'>;
  readonly #history: ThreadHistory;

  constructor(threadId: string, client: Pick<Skein, 'messages'>, history: ThreadHistory) {
    this.#threadId = threadId;
    this.#client = client;
    this.#history = history;
  }

  /** Gives the number of the newest one. */
  async readNewest(): Promise<number> {
    const { data, nextCursor } = await this.#client.messages.list(this.#threadId, {
      order: 'desc',
      limit: pageSize,
    });
    this.#history.addPage(data, { from: getStart(data, nextCursor), to: Infinity });
    return data[0]?.sequence ?? 0;
  }

  /** The page before what is shown. */
  async readEarlier(): Promise<void> {
    const { from } = this.#history.shown ?? {};
    if (from !== undefined && from > 0) await this.#readBefore(from, pageSize);
  }

  /** The page after what is shown, where that is not the newest. */
  async readLater(): Promise<void> {
    const { to } = this.#history.shown ?? {};
    if (to !== undefined && to < Infinity) await this.#readAfter(to, pageSize);
  }

  /** The message with that number, and those around it, unless they are here. */
  async readAround(sequence: number): Promise<void> {
    if (this.#history.has(sequence)) return;
    await Promise.all([this.#readBefore(sequence + 1, halfPage), this.#readAfter(sequence, halfPage)]);
  }

  /** The number of the last message that was written until then; 0: there is none. It halves what is left with each question. */
  async findLastUntil(at: string): Promise<number> {
    let [from, to] = [0, this.#history.newestSequence];
    while (from < to) {
      const middle = Math.ceil((from + to) / 2);
      const query = { order: 'desc', beforeSequence: middle + 1, limit: 1 } as const;
      const [message] = (await this.#client.messages.list(this.#threadId, query)).data;
      if (message === undefined || message.createdAt <= at) from = middle;
      else to = (message.sequence ?? middle) - 1;
    }
    return from;
  }

  /** Everything after the number. @param onPage with how far it has come, before anything can fail again */
  async readMissed(afterSequence: number, onPage: (through: number) => void): Promise<void> {
    const pages = this.#client.messages
      .list(this.#threadId, { afterSequence, order: 'asc', limit: largestPage })
      .pages();
    for await (const { data } of pages) {
      this.#history.addMessages(data);
      onPage(data.at(-1)?.sequence ?? afterSequence);
    }
  }

  async #readBefore(beforeSequence: number, limit: number): Promise<void> {
    const query = { order: 'desc', beforeSequence, limit } as const;
    const { data, nextCursor } = await this.#client.messages.list(this.#threadId, query);
    this.#history.addPage(data, { from: getStart(data, nextCursor), to: beforeSequence - 1 });
  }

  async #readAfter(afterSequence: number, limit: number): Promise<void> {
    const query = { order: 'asc', afterSequence, limit } as const;
    const { data, nextCursor } = await this.#client.messages.list(this.#threadId, query);
    const to = nextCursor === null ? Infinity : (data.at(-1)?.sequence ?? afterSequence);
    this.#history.addPage(data, { from: afterSequence + 1, to });
  }
}

/** Where a page that goes backwards begins. */
const getStart = (data: readonly Message[], nextCursor: Page<Message>['nextCursor']): number =>
  nextCursor === null ? 0 : (data.at(-1)?.sequence ?? 0);
