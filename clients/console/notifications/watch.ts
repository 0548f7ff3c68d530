/**
 * Watches the events while the operator looks elsewhere, and tells what they want to hear of. To know whom a conversation belongs to, it is
 * read, once; of a flood, the first are.
 */
import type { SkeinEvent, Thread } from '../../sdk/index.ts';
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
  tell(notice: Notice, thread: Thread): void;
}

/** Conversations that are read at the same time. */
const mostReading = 5;
/** Conversations that are counted: a title has no room for more. */
const mostCounted = 100;

export class Watch implements StreamListener {
  readonly #port: WatchPort;
  readonly #counted = new Set<string>();
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
    else if (this.#reading < mostReading) void this.#read(notice);
  }

  /** The operator is here again. */
  clear(): void {
    if (this.#counted.size === 0) return;
    this.#counted.clear();
    this.#port.count(0);
  }

  async #read(notice: Notice): Promise<void> {
    this.#reading++;
    try {
      this.#take(notice, await this.#port.getThread(notice.threadId));
    } catch {
      // It is gone, or the server is: nothing to tell.
    } finally {
      this.#reading--;
    }
  }

  #take(notice: Notice, thread: Thread): void {
    const { about } = this.#port.readPreferences();
    // Who is named is meant, whoever's the conversation is.
    const isMeant = notice.is === 'mention' || concerns(thread, this.#port, about);
    if (!this.#port.isAway() || !isMeant) return;
    if (this.#counted.size < mostCounted) this.#counted.add(notice.threadId);
    this.#port.count(this.#counted.size);
    this.#port.tell(notice, thread);
  }
}
