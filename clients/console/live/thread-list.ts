/**
 * One queue as it is shown: its first pages, kept true by events, in the queue's order.
 *
 *   reading -> ready <-> readingMore; or failed: `read` tries again
 *
 * A page of the server may add no row, since it looks at a bounded number of threads: then the next one is read, up to a limit from which on
 * somebody has to ask (`isFar`). A page that could not be read is asked for again, after growing waits.
 *
 * While it is held, because the pointer is over it, no row moves: what is new waits (`waiting`) until it is let go.
 */
import type { ListThreadsQuery, Page, SkeinEvent, Thread } from '../../sdk/index.ts';
import type { StreamListener } from './project-stream.ts';
import { belongs, compare, createQuery, queues } from './queues.ts';
import { canSucceedLater } from '../composer/outbox.ts';
import type { ShownQueue, ThreadListPort, ThreadListState } from './list-state.ts';
import { MissingThreads } from './missing-threads.ts';
import { ThreadOrder } from './thread-order.ts';
import { ThreadRows } from './thread-rows.ts';

export type { ThreadListPort, ThreadListState } from './list-state.ts';

const pageSize = 50;
/** Whoever scrolls on wants more: the contract's most. */
const nextPageSize = 100;
/** Views are told so often, however many events come: rows that jump more often are not read by anybody. */
const tellEveryMs = 100;
/** What could not be read is asked for again after so long, and twice as long after each failure. */
const againMs = 2_000;
const longestAgainMs = 30_000;
/** Without a stream so many pages are read again each time: the first 350 threads. What stands behind them is as it was. */
const mostPolledPages = 4;
/** Pages in a row that add no row: some 2,000 threads each. */
const mostEmptyPages = 20;

export class ThreadList implements StreamListener {
  readonly #port: ThreadListPort;
  readonly #queue: ShownQueue;
  readonly #rows = new ThreadRows();
  readonly #order: ThreadOrder;
  /** Threads that come behind the last page that was read: with the next one they may be shown. */
  readonly #behind = new Set<string>();
  readonly #listeners = new Set<() => void>();
  readonly #missing: MissingThreads;
  /** Of a search: which threads it has found, and their places. */
  readonly #found: Map<string, number> | undefined;
  /** What the cursor is of. */
  #query: ListThreadsQuery | undefined;
  #cursor: string | null = null;
  /** The last thread of the pages that were read: what comes behind it is not known yet. */
  #end: Thread | undefined;
  #isHeld = false;
  /** Threads that have changed since the list was told last while it was not held. */
  readonly #changed = new Set<string>();
  #cancelTell: (() => void) | undefined;
  #failures = 0;
  #cancelAgain: (() => void) | undefined;
  /** Which reading is the last that was begun: answers of earlier ones come too late. */
  #reading = 0;
  #isReadingFirst = false;
  #isPolling = false;
  /** Threads of which an event was taken since the first page was asked for: its answer may be older. */
  readonly #heard = new Set<string>();
  /** Somebody has asked for more meanwhile. */
  #wantsMore = false;
  /** Events were missed: what is shown stays as it is until the first page has come. */
  #isRenewing = false;
  #renewals = 0;
  /** Of these an event was not taken: those that are not in the next first page are not known any more. */
  readonly #doubtful = new Set<string>();
  #state: ThreadListState = {
    phase: 'reading',
    error: undefined,
    order: [],
    hasMore: false,
    pages: 0,
    isFar: false,
    waiting: 0,
  };

  constructor(port: ThreadListPort, queue: ShownQueue) {
    this.#port = port;
    this.#queue = queue;
    this.#found = queue.name === 'search' ? new Map() : undefined;
    this.#missing = new MissingThreads({
      readOne: async threadId => {
        const renewals = this.#renewals;
        const thread = await port.get(threadId);
        // Otherwise it may be older than what was missed.
        if (renewals !== this.#renewals || !this.#rows.put([thread])) return;
        this.#order.change(threadId);
        this.#tellSoon();
      },
      readAll: threadIds => {
        for (const threadId of threadIds) this.#doubtful.add(threadId);
        return this.read();
      },
      schedule: port.schedule,
    });
    this.#order = new ThreadOrder({
      get: threadId => this.#rows.get(threadId),
      all: () => this.#rows.all(),
      has: thread => this.#isShown(thread),
      compare: (one, other) => this.#compare(one, other),
      now: () => port.now(),
    });
  }

  readonly getState = (): ThreadListState => this.#state;

  /** Returns what removes the listener. */
  readonly onChange = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Whether it has to be read again as time passes. */
  get followsClock(): boolean {
    return queues[this.#queue.name].followsClock === true;
  }

  getThread(threadId: string): Thread | undefined {
    return this.#rows.getShown(threadId);
  }

  /** Reads the first page. What is shown stays until it has come. */
  async read(): Promise<void> {
    this.#cancelAgain?.();
    const reading = ++this.#reading;
    const isFirst = this.#end === undefined && this.#state.order.length === 0;
    this.#isReadingFirst = true;
    this.#heard.clear();
    this.#setState({ phase: isFirst ? 'reading' : this.#state.phase, error: undefined });
    const query = this.#createQuery();
    try {
      const page = await this.#port.list(query);
      if (reading !== this.#reading) return;
      this.#isReadingFirst = false;
      // What was known behind it may not be there any more.
      this.#order.changeAll();
      this.#query = query;
      this.#found?.clear();
      for (const threadId of this.#doubtful) this.#rows.forget(threadId);
      this.#doubtful.clear();
      if (this.#isRenewing) this.#end = undefined;
      this.#isRenewing = false;
      this.#forgetAbsent(page);
      this.#takePage(page);
      this.#setState({ phase: 'ready' });
    } catch (error) {
      if (reading !== this.#reading) return;
      this.#isReadingFirst = false;
      this.#setState({ phase: 'failed', error });
      this.#tryAgain(error, () => void this.read());
      return;
    }
    const readsOn = this.#wantsMore || this.#state.order.length === 0;
    this.#wantsMore = false;
    if (readsOn) await this.readMore();
  }

  /** Reads the first page after events were missed: whatever is not in it is not known any more. */
  renew(): Promise<void> {
    this.#isRenewing = true;
    this.#renewals++;
    this.#rows.forgetAll();
    this.#behind.clear();
    return this.read();
  }

  /** Reads on until a page adds a row, if there is more and nothing is read already. */
  async readMore(): Promise<void> {
    // What it would go on from is about to change.
    if (this.#isReadingFirst) this.#wantsMore = true;
    if (this.#state.phase !== 'ready' || this.#isReadingFirst || this.#cursor === null) return;
    this.#cancelAgain?.();
    const reading = ++this.#reading;
    this.#setState({ phase: 'readingMore', error: undefined, isFar: false });
    const { length } = this.#state.order;
    try {
      let pages = 0;
      // The query of the first page: its times are the cursor's.
      while (this.#cursor !== null && pages++ < mostEmptyPages && this.#state.order.length <= length) {
        const page = await this.#port.list({ ...this.#query, limit: nextPageSize, cursor: this.#cursor });
        if (reading !== this.#reading) return;
        this.#takePage(page);
      }
      const isFar = this.#cursor !== null && this.#state.order.length <= length;
      this.#setState({ phase: 'ready', isFar });
    } catch (error) {
      if (reading !== this.#reading) return;
      this.#setState({ phase: 'ready', error });
      this.#tryAgain(error, () => void this.readMore());
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
    if (!this.#isRenewing) this.#show(this.#order.arrange());
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
    if (taken === 'nothing' || (taken === 'unknown' && this.#isElsewhere(event, threadId))) return;
    this.#changed.add(threadId);
    if (this.#isReadingFirst || this.#isPolling) this.#heard.add(threadId);
    this.#order.change(threadId);
    if (taken === 'changed') this.#tellSoon();
    // An answer that is on its way may be older than this event, and what came before it was not taken.
    const isMissing = taken === 'unknown' && this.#found?.has(threadId) !== false;
    const isUncertain = this.#missing.isBeingRead(threadId) || this.#doubtful.has(threadId);
    if (isMissing || isUncertain) this.#missing.add(threadId);
  }

  /** Whether the event has the thread, which does not belong here, and no answer is on its way that says otherwise since it is older. */
  #isElsewhere({ data }: SkeinEvent, threadId: string): boolean {
    if (!('thread' in data) || this.#isPageUnderWay || this.#doubtful.has(threadId)) return false;
    if (this.#missing.isBeingRead(threadId)) return false;
    const { name, filters, userId } = this.#queue;
    // How much of it is unread, an event does not say.
    return !belongs(data.thread, name, { ...filters, unread: undefined }, { userId, now: this.#port.now() });
  }

  get #isPageUnderWay(): boolean {
    return this.#isReadingFirst || this.#isPolling || this.#state.phase === 'readingMore';
  }

  onReset(): Promise<void> {
    return this.renew();
  }

  /** Takes what is shown anew, up to {@link mostPolledPages}, and leaves what was read behind it where it is. */
  async onPoll(): Promise<void> {
    if (this.#isPolling || this.#isReadingFirst || this.#state.phase !== 'ready') return;
    // Those of a search do not change with what happens.
    if (this.#found !== undefined) return;
    const reading = this.#reading;
    this.#isPolling = true;
    this.#heard.clear();
    try {
      const pages = await this.#readShown();
      // Another answer is on its way, or has come.
      if (reading !== this.#reading) return;
      this.#order.changeAll();
      const [first] = pages;
      if (first !== undefined) this.#forgetAbsent(first);
      this.#askForAbsent(pages);
      for (const { data } of pages) this.#rows.put(data);
      this.#tell();
    } catch {
      // It is asked for again soon.
    } finally {
      this.#isPolling = false;
    }
  }

  /** Pages of a moment each. */
  async #readShown(): Promise<readonly Page<Thread>[]> {
    const query = this.#createQuery();
    const pages = [await this.#port.list(query)];
    let { length } = pages[0]?.data ?? [];
    for (let last = pages[0]; last?.hasMore === true && pages.length < mostPolledPages; last = pages.at(-1)) {
      if (length >= this.#state.order.length) break;
      const page = await this.#port.list({
        ...query,
        limit: nextPageSize,
        cursor: last.nextCursor ?? undefined,
      });
      length += page.data.length;
      pages.push(page);
    }
    return pages;
  }

  /**
   * What would stand in a later page, and does not, has left the queue, or has moved into an earlier page after that was read: it is read by
   * itself, and does not go before it is known.
   */
  #askForAbsent(pages: readonly Page<Thread>[]): void {
    const [first, ...later] = pages;
    const [from, last] = [first?.data.at(-1), later.at(-1)];
    if (from === undefined || last === undefined) return;
    const given = new Set(pages.flatMap(({ data }) => data.map(({ threadId }) => threadId)));
    const to = last.hasMore ? last.data.at(-1) : undefined;
    for (const thread of this.#rows.all()) {
      const isCovered =
        this.#comesAfter(thread, from) &&
        (!last.hasMore || (to !== undefined && !this.#comesAfter(thread, to)));
      if (isCovered && this.#belongs(thread) && !given.has(thread.threadId))
        this.#missing.add(thread.threadId);
    }
  }

  stop(): void {
    this.#reading++;
    this.#isReadingFirst = this.#wantsMore = false;
    this.#cancelTell?.();
    this.#missing.stop();
    this.#cancelAgain?.();
    this.#cancelTell = this.#cancelAgain = undefined;
  }

  #tryAgain(error: unknown, work: () => void): void {
    if (!canSucceedLater(error)) return;
    const ms = Math.min(againMs * 2 ** this.#failures++, longestAgainMs);
    this.#cancelAgain = this.#port.schedule(work, ms);
  }

  #createQuery(): ListThreadsQuery {
    const { name, filters, userId } = this.#queue;
    // A search has one page.
    const limit = this.#found === undefined ? pageSize : nextPageSize;
    return { ...createQuery(name, filters, { userId, now: this.#port.now() }), limit };
  }

  #takePage({ data, hasMore, nextCursor }: Page<Thread>): void {
    this.#failures = 0;
    for (const { threadId } of data) this.#found?.set(threadId, this.#found.size);
    this.#rows.put(data);
    this.#cursor = hasMore ? nextCursor : null;
    const last = data.at(-1);
    if (last !== undefined && (this.#end === undefined || this.#comesAfter(last, this.#end)))
      this.#end = last;
    if (!hasMore) this.#end = undefined;
    for (const threadId of [...data.map(each => each.threadId), ...this.#behind])
      this.#order.change(threadId);
    this.#behind.clear();
    this.#setState({ error: undefined, hasMore, pages: this.#state.pages + 1 });
    this.#append(data);
    this.#tell();
  }

  /** What would stand in the first page, and does not, has left the queue without an event. */
  #forgetAbsent({ data, hasMore }: Page<Thread>): void {
    const given = new Set(data.map(({ threadId }) => threadId));
    const last = data.at(-1);
    for (const thread of this.#rows.all()) {
      const { threadId } = thread;
      const isCovered = !hasMore || (last !== undefined && !this.#comesAfter(thread, last));
      const isAbsent = isCovered && this.#belongs(thread) && !given.has(threadId);
      if (isAbsent && !this.#heard.has(threadId)) this.#rows.forget(threadId);
    }
  }

  /** Shows a page below a list that is held: whoever scrolls holds it all the while. */
  #append(page: readonly Thread[]): void {
    const { order } = this.#state;
    const last = this.#rows.getShown(order.at(-1) ?? '');
    if (!this.#isHeld || last === undefined) return;
    const added = page.filter(thread => this.#isShown(thread) && this.#comesAfter(thread, last));
    if (added.length === 0) return;
    // Some of it may have moved up into what is shown already.
    const shown = new Set(order);
    const ids = added.map(({ threadId }) => threadId).filter(threadId => !shown.has(threadId));
    this.#setState({ order: [...order, ...ids] });
  }

  #comesAfter(one: Thread, other: Thread): boolean {
    return this.#compare(one, other) > 0;
  }

  #compare(one: Thread, other: Thread): number {
    if (this.#found === undefined) return compare(this.#queue.name, one, other);
    return (this.#found.get(one.threadId) ?? 0) - (this.#found.get(other.threadId) ?? 0);
  }

  #belongs(thread: Thread): boolean {
    const { name, filters, userId } = this.#queue;
    if (this.#found?.has(thread.threadId) === false) return false;
    return belongs(thread, name, filters, { userId, now: this.#port.now() });
  }

  #isShown(thread: Thread): boolean {
    if (!this.#belongs(thread)) return false;
    const isBehind = this.#end !== undefined && this.#state.hasMore && this.#comesAfter(thread, this.#end);
    if (isBehind) this.#behind.add(thread.threadId);
    return !isBehind;
  }

  #tellSoon(): void {
    this.#cancelTell ??= this.#port.schedule(() => {
      this.#cancelTell = undefined;
      this.#tell();
    }, tellEveryMs);
  }

  #tell(): void {
    if (this.#isRenewing) return this.#setState({});
    const order = this.#order.arrange();
    this.#limitRows(order);
    const before = this.#state.order;
    if (!this.#isHeld || before.length === 0) return this.#show(order);
    const isSame = order.length === before.length && order.every((id, index) => before[index] === id);
    // Rows that have gone while events were missed are in no event.
    this.#setState({ waiting: isSame ? 0 : Math.max(1, this.#changed.size) });
  }

  /** What has come by events and belongs elsewhere does not stay for ever. A page that is under way may be older than what would go. */
  #limitRows(order: readonly string[]): void {
    if (!this.#rows.isFull || this.#isPageUnderWay) return;
    const listed = new Set([...this.#state.order, ...order]);
    this.#rows.limit(thread => listed.has(thread.threadId) || this.#belongs(thread));
  }

  #show(order: readonly string[]): void {
    this.#changed.clear();
    this.#rows.clearLeft();
    this.#setState({ order, waiting: 0 });
  }

  #setState(change: Partial<ThreadListState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}
