/**
 * Threads that were to be closed, archived or snoozed, and were not: their participant had written what this page had not shown yet. Each is
 * kept until the operator has decided, wherever they look meanwhile.
 */
import { ApiError, type SkeinEvent, type Thread, type UpdateThreadBody } from '../../sdk/index.ts';
import type { StreamListener } from '../live/project-stream.ts';

export type ThreadChange = UpdateThreadBody & Partial<Thread>;

/** A change that was refused. */
export interface Refused {
  /** As it was shown when it was to be changed. */
  readonly thread: Thread;
  readonly change: ThreadChange;
  /** The thread's number by then: whoever wants the change all the same has been told of what came until there. */
  readonly sequence: number;
  /** The operator was told of it where they had wanted it. Default: false. */
  readonly wasTold?: boolean;
}

/** Whether nobody looks at the thread after the change. */
export const putsAway = ({ status, snoozedUntil }: ThreadChange): boolean =>
  status === 'closed' || status === 'archived' || snoozedUntil != null;

/** The number that the thread has now, where a request was refused for that alone; of conflicts no other names it. */
export function findNewerSequence(error: unknown): number | undefined {
  if (!(error instanceof ApiError) || error.code !== 'svc/runtime/conflict') return undefined;
  const sequence = error.details?.['sequence'];
  return typeof sequence === 'number' ? sequence : undefined;
}

/** Whether there is nothing to decide any more: the thread was put away, or what came was erased. */
const isOver = ({ status, snoozedUntil, erasedAt }: Thread, refused: Refused): boolean =>
  status !== 'open' || snoozedUntil != null || (erasedAt ?? null) !== (refused.thread.erasedAt ?? null);

export class UnseenMessages implements StreamListener {
  readonly #read: (threadId: string) => Promise<Thread>;
  readonly #listeners = new Set<() => void>();
  #refused: readonly Refused[] = [];

  /** @param read gives a thread as it is now */
  constructor(read: (threadId: string) => Promise<Thread>) {
    this.#read = read;
  }

  /** The same array until something changes; the last one at the end. */
  readonly getAll = (): readonly Refused[] => this.#refused;

  /** Returns what removes the listener. */
  readonly onChange = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** In the place of an earlier one of its thread. */
  add(refused: Refused): void {
    const { threadId } = refused.thread;
    this.#set([...this.#refused.filter(({ thread }) => thread.threadId !== threadId), refused]);
    // A colleague may have put it away before the answer came, and the event of it as well.
    void this.#check(refused);
  }

  /** It is shown to the operator in the conversation. */
  markTold(threadId: string): void {
    if (!this.#refused.some(({ thread, wasTold }) => thread.threadId === threadId && wasTold !== true))
      return;
    this.#set(
      this.#refused.map(each => (each.thread.threadId === threadId ? { ...each, wasTold: true } : each)),
    );
  }

  remove(threadId: string): void {
    if (this.#refused.some(({ thread }) => thread.threadId === threadId))
      this.#set(this.#refused.filter(({ thread }) => thread.threadId !== threadId));
  }

  /** There is nothing to decide any more where somebody has put the thread away, or what came was erased. */
  onEvent({ eventName, data }: SkeinEvent): void {
    if (eventName === 'thread.lifecycle.erased') return this.remove(data.threadId ?? '');
    if (eventName !== 'thread.status.changed' && eventName !== 'thread.snooze.changed') return;
    if (data.thread.status !== 'open' || data.thread.snoozedUntil != null) this.remove(data.thread.threadId);
  }

  /** Of what has happened before no event comes. */
  onBegin(): void {
    void this.#checkAll();
  }

  onReset(): Promise<void> {
    return this.#checkAll();
  }

  onPoll(): Promise<void> {
    return this.#checkAll();
  }

  /** One after the other: there may be as many as are changed at once. */
  async #checkAll(): Promise<void> {
    for (const refused of this.#refused) await this.#check(refused);
  }

  /** Where it cannot be read it stays. */
  async #check(refused: Refused): Promise<void> {
    const { threadId } = refused.thread;
    const isDecided = await this.#read(threadId).then(
      thread => isOver(thread, refused),
      (error: unknown) => error instanceof ApiError && error.status === 404,
    );
    // Or it was refused once more meanwhile.
    const isLast = this.#refused.some(
      ({ thread, sequence }) => thread.threadId === threadId && sequence === refused.sequence,
    );
    if (isDecided && isLast) this.remove(threadId);
  }

  #set(refused: readonly Refused[]): void {
    this.#refused = refused;
    for (const listener of this.#listeners) listener();
  }
}
