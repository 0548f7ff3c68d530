/**
 * Watches the events while the operator looks elsewhere, and tells what they want to hear of. To know whom a conversation belongs to, it is
 * read: a few at the same time, and the others wait. Of a flood, the first are told; what somebody waits for is always told, and first.
 */
import type { SkeinEvent, Thread } from '../../sdk/index.ts';
import { canSucceedLater } from '../composer/outbox.ts';
import type { StreamListener } from '../live/project-stream.ts';
import { concerns, findNotice, type Notice } from './notices.ts';
import type { NotificationPreferences } from './preferences.ts';

export interface WatchPort {
  readonly userId: string;
  readonly environmentId: string;
  /** Whether the operator does not see the page, or works in another window. */
  isAway(): boolean;
  readPreferences(): NotificationPreferences;
  getThread(threadId: string): Promise<Thread>;
  /** How many conversations have something new since the operator looked away. */
  count(conversations: number): void;
  /** @param thread undefined: it could not be read */
  tell(notice: Notice, thread: Thread | undefined): void;
}

/** Conversations that are read at the same time. */
const mostReading = 5;
/** Conversations that are counted: a title has no room for more. */
const mostCounted = 100;
/** Notices that wait for their conversations to be read, of each kind of waiting. */
const mostWaiting = 100;

/** A person waits for the operator, or an agent does. */
const isUrgent = ({ is }: Notice): boolean => is === 'mention' || is === 'tool';

export class Watch implements StreamListener {
  readonly #port: WatchPort;
  readonly #counted = new Set<string>();
  /** By what they tell and of which conversation: of several the last is told. */
  readonly #urgent = new Map<string, Notice>();
  readonly #others = new Map<string, Notice>();
  #reading = 0;

  constructor(port: WatchPort) {
    this.#port = port;
  }

  onEvent(event: SkeinEvent): void {
    const { environmentId, userId } = this.#port;
    if (event.data.environmentId !== environmentId || !this.#port.isAway()) return;
    const notice = findNotice(event, userId);
    if (notice === undefined) return;
    if ('thread' in event.data) this.#take(notice, event.data.thread);
    else this.#enqueue(notice);
  }

  /** The operator is here again. */
  clear(): void {
    this.#urgent.clear();
    this.#others.clear();
    if (this.#counted.size === 0) return;
    this.#counted.clear();
    this.#port.count(0);
  }

  #enqueue(notice: Notice): void {
    const [waiting, key] = [
      isUrgent(notice) ? this.#urgent : this.#others,
      `${notice.is}:${notice.threadId}`,
    ];
    if (waiting.size < mostWaiting || waiting.has(key)) waiting.set(key, notice);
    else if (isUrgent(notice)) this.#take(notice, undefined);
    this.#readNext();
  }

  #readNext(): void {
    while (this.#reading < mostReading) {
      const waiting = this.#urgent.size > 0 ? this.#urgent : this.#others;
      const [next] = waiting;
      if (next === undefined) return;
      const [key, notice] = next;
      waiting.delete(key);
      void this.#read(notice);
    }
  }

  async #read(notice: Notice): Promise<void> {
    this.#reading++;
    try {
      this.#take(notice, await this.#port.getThread(notice.threadId));
    } catch (error) {
      // It is gone, and there is nothing to tell; or the server is.
      if (isUrgent(notice) && canSucceedLater(error)) this.#take(notice, undefined);
    } finally {
      this.#reading--;
      this.#readNext();
    }
  }

  #take(notice: Notice, thread: Thread | undefined): void {
    const { about } = this.#port.readPreferences();
    // Who is named is meant, whoever's the conversation is; and whose one is that could not be read, nobody knows.
    const isMeant = notice.is === 'mention' || thread === undefined || concerns(thread, this.#port, about);
    if (!this.#port.isAway() || !isMeant) return;
    if (this.#counted.size < mostCounted) this.#counted.add(notice.threadId);
    this.#port.count(this.#counted.size);
    this.#port.tell(notice, thread);
  }
}
