/** What a list shows, and what it needs. */
import type { ListThreadsQuery, Page, Thread } from '../../sdk/index.ts';
import type { QueueName, ThreadFilters } from './queues.ts';

export interface ThreadListState {
  readonly phase: 'reading' | 'ready' | 'readingMore' | 'failed';
  readonly error: unknown;
  /** Ids in the order of the queue. */
  readonly order: readonly string[];
  readonly hasMore: boolean;
  /** Pages that were read. Each may have changed what has to be read next, without a row that shows it. */
  readonly pages: number;
  /** Many pages have added no row: `readMore` goes on. */
  readonly isFar: boolean;
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
