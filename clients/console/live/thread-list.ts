/**
 * One queue as it is shown: its first pages, kept true by events, in the queue's order.
 *
 *   reading -> ready <-> readingMore; or failed: `read` tries again
 *
 * While it is held, because the pointer is over it, no row moves: what is new waits (`waiting`) until it is let go.
 */
import type { ListThreadsQuery, Page, SkeinEvent, Thread } from '../../sdk/index.ts';
import type { StreamListener } from './project-stream.ts';
import { belongs, compare, createQuery, type QueueName, type ThreadFilters } from './queues.ts';
import { canSucceedLater } from '../composer/outbox.ts';
import { ThreadOrder } from './thread-order.ts';
import { ThreadRows } from './thread-rows.ts';

export interface ThreadListState {
  readonly phase: 'reading' | 'ready' | 'readingMore' | 'failed';
  readonly error: unknown;
  /** Ids in the order of the queue. */
  readonly order: readonly string[];
  readonly hasMore: boolean;
  /** Rows that would move, come or go if the list were let go. */
  readonly waiting: number;
}

/** What a list needs of its surroundings. */
export interface ThreadListPort {
  list(query: ListThreadsQuery): Promise<Page<Thread>>;
  get(threadId: string): Promise<Thread>;
  /** Milliseconds since 1970. */
  now(): number;
  /** Runs the work later, once; returns what cancels it. */
  schedule(work: () => void, ms: number): () => void;
}

export interface ShownQueue {
  readonly name: QueueName;
  readonly filters: ThreadFilters;
  readonly userId: string;
}

const pageSize = 50;
/** Whoever scrolls on wants more: the contract's most. */
const nextPageSize = 100;
/** Views are told so often, however many events come: rows that jump more often are not read by anybody. */
const tellEveryMs = 100;
/** Rows that are missing are read together; more at once than this, and the first page is read anew. */
const gatherMs = 200;
const mostGathered = 20;
/** What could not be read is asked for again after so long. */
const againMs = 2_000;

export class ThreadList implements StreamListener {
  readonly #port: ThreadListPort;
  readonly #queue: ShownQueue;
  readonly #rows = new ThreadRows();
  readonly #order: ThreadOrder;
  /** Threads that come behind the last page that was read: with the next one they may be shown. */
  readonly #behind = new Set<string>();
  readonly #listeners = new Set<() => void>();
  readonly #missing = new Set<string>();
  /** Threads that are asked for by themselves, or will be. */
  readonly #beingRead = new Map<string, number>();
  #cursor: string | null = null;
  /** The last thread of the pages that were read: what comes behind it is not known yet. */
  #end: Thread | undefined;
  #isHeld = false;
  /** Threads that have changed since the list was told last while it was not held. */
  readonly #changed = new Set<string>();
  #cancelTell: (() => void) | undefined;
  #cancelGather: (() => void) | undefined;
  #cancelAgain: (() => void) | undefined;
  /** Which reading is the last that was begun: answers of earlier ones come too late. */
  #reading = 0;
  #state: ThreadListState = { phase: 'reading', error: undefined, order: [], hasMore: false, waiting: 0 };

  constructor(port: ThreadListPort, queue: ShownQueue) {
    this.#port = port;
    this.#queue = queue;
    this.#order = new ThreadOrder({
      get: threadId => this.#rows.get(threadId),
      all: () => this.#rows.all(),
      has: thread => this.#isShown(thread),
      compare: (one, other) => compare(queue.name, one, other),
      now: () => port.now(),
    });
  }

  readonly getState = (): ThreadListState => this.#state;

  /** Returns what removes the listener. */
  readonly onChange = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  getThread(threadId: string): Thread | undefined {
    return this.#rows.get(threadId);
  }

  /** Reads the first page. What is shown stays until it has come. */
  async read(): Promise<void> {
    this.#cancelAgain?.();
    const reading = ++this.#reading;
    const isFirst = this.#end === undefined && this.#state.order.length === 0;
    this.#setState({ phase: isFirst ? 'reading' : this.#state.phase, error: undefined });
    try {
      const page = await this.#port.list(this.#createQuery());
      if (reading !== this.#reading) return;
      // What was known behind it may not be there any more.
      this.#order.changeAll();
      this.#takePage(page);
    } catch (error) {
      if (reading !== this.#reading) return;
      this.#setState({ phase: 'failed', error });
      if (canSucceedLater(error)) this.#cancelAgain = this.#port.schedule(() => void this.read(), againMs);
    }
  }

  /** Reads the next page, if there is one and nothing is read already. */
  async readMore(): Promise<void> {
    if (this.#state.phase !== 'ready' || this.#cursor === null) return;
    const reading = ++this.#reading;
    this.#setState({ phase: 'readingMore' });
    try {
      const page = await this.#port.list({
        ...this.#createQuery(),
        limit: nextPageSize,
        cursor: this.#cursor,
      });
      if (reading === this.#reading) this.#takePage(page);
    } catch (error) {
      if (reading === this.#reading) this.#setState({ phase: 'ready', error });
    }
  }

  /** While it is held no row moves. */
  hold(isHeld: boolean): void {
    if (this.#isHeld === isHeld) return;
    this.#isHeld = isHeld;
    if (!isHeld) this.#tell();
  }

  /** Shows what has waited, though the list is held. */
  release(): void {
    this.#changed.clear();
    this.#setState({ order: this.#order.arrange(), waiting: 0 });
  }

  markRead(threadId: string, sequence: number): void {
    if (!this.#rows.markRead(threadId, sequence)) return;
    this.#order.change(threadId);
    this.#tellSoon();
  }

  onEvent(event: SkeinEvent): void {
    const threadId = 'threadId' in event.data ? event.data.threadId : undefined;
    if (threadId === undefined) return;
    const taken = this.#rows.takeEvent(event);
    if (taken === 'nothing') return;
    this.#changed.add(threadId);
    this.#order.change(threadId);
    if (taken === 'changed') this.#tellSoon();
    // An answer that is on its way may be older than this event, and what came before it was not taken.
    if (taken === 'unknown' || this.#beingRead.has(threadId)) this.#gather(threadId);
  }

  onReset(): Promise<void> {
    return this.read();
  }

  stop(): void {
    this.#reading++;
    this.#cancelTell?.();
    this.#cancelGather?.();
    this.#cancelAgain?.();
    this.#cancelTell = this.#cancelGather = this.#cancelAgain = undefined;
  }

  #createQuery(): ListThreadsQuery {
    const { name, filters, userId } = this.#queue;
    return { ...createQuery(name, filters, { userId, now: this.#port.now() }), limit: pageSize };
  }

  #takePage({ data, hasMore, nextCursor }: Page<Thread>): void {
    this.#rows.put(data);
    this.#cursor = hasMore ? nextCursor : null;
    const last = data.at(-1);
    if (last !== undefined && (this.#end === undefined || this.#comesAfter(last, this.#end)))
      this.#end = last;
    if (!hasMore) this.#end = undefined;
    for (const threadId of [...data.map(each => each.threadId), ...this.#behind])
      this.#order.change(threadId);
    this.#behind.clear();
    this.#setState({ phase: 'ready', error: undefined, hasMore });
    this.#append(data);
    this.#tell();
  }

  /** Shows a page below a list that is held: whoever scrolls holds it all the while. */
  #append(page: readonly Thread[]): void {
    const { order } = this.#state;
    const last = this.#rows.get(order.at(-1) ?? '');
    if (!this.#isHeld || last === undefined) return;
    const added = page.filter(thread => this.#isShown(thread) && this.#comesAfter(thread, last));
    if (added.length === 0) return;
    // Some of it may have moved up into what is shown already.
    const shown = new Set(order);
    const ids = added.map(({ threadId }) => threadId).filter(threadId => !shown.has(threadId));
    this.#setState({ order: [...order, ...ids] });
  }

  #comesAfter(one: Thread, other: Thread): boolean {
    return compare(this.#queue.name, one, other) > 0;
  }

  #isShown(thread: Thread): boolean {
    const { name, filters, userId } = this.#queue;
    if (!belongs(thread, name, filters, { userId, now: this.#port.now() })) return false;
    const isBehind = this.#end !== undefined && this.#state.hasMore && this.#comesAfter(thread, this.#end);
    if (isBehind) this.#behind.add(thread.threadId);
    return !isBehind;
  }

  #gather(threadId: string): void {
    if (!this.#missing.has(threadId)) this.#countReads(threadId, 1);
    this.#missing.add(threadId);
    this.#cancelGather ??= this.#port.schedule(() => {
      this.#cancelGather = undefined;
      const missing = [...this.#missing];
      this.#missing.clear();
      if (missing.length > mostGathered) {
        void this.read().finally(() => missing.forEach(each => this.#countReads(each, -1)));
        return;
      }
      for (const each of missing) void this.#readOne(each);
    }, gatherMs);
  }

  async #readOne(threadId: string): Promise<void> {
    try {
      if (this.#rows.put([await this.#port.get(threadId)])) {
        this.#order.change(threadId);
        this.#tellSoon();
      }
    } catch (error) {
      // Otherwise it is gone.
      if (canSucceedLater(error)) this.#gather(threadId);
    } finally {
      this.#countReads(threadId, -1);
    }
  }

  #countReads(threadId: string, change: 1 | -1): void {
    const count = (this.#beingRead.get(threadId) ?? 0) + change;
    if (count > 0) this.#beingRead.set(threadId, count);
    else this.#beingRead.delete(threadId);
  }

  #tellSoon(): void {
    this.#cancelTell ??= this.#port.schedule(() => {
      this.#cancelTell = undefined;
      this.#tell();
    }, tellEveryMs);
  }

  #tell(): void {
    const order = this.#order.arrange();
    const before = this.#state.order;
    if (!this.#isHeld || before.length === 0) {
      this.#changed.clear();
      return this.#setState({ order, waiting: 0 });
    }
    const isSame = order.length === before.length && order.every((id, index) => before[index] === id);
    this.#setState({ waiting: isSame ? 0 : this.#changed.size });
  }

  #setState(change: Partial<ThreadListState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}
