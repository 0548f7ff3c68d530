/**
 * The threads that are shown in lists, as far as they are known: read by pages, changed by events. Of two states of a thread the later one
 * counts, whichever comes first; what only reads have (the preview, how far the operator has read) is brought forward by events.
 */
import type { Message, SkeinEvent, Thread } from '../../sdk/index.ts';
import { describeChange, takeChange } from './thread-changes.ts';

/** Rows that no list shows: with each there are no further questions for its thread. */
const mostUnlisted = 5_000;
/** So many more before the oldest go, since finding them takes a look at all. */
const unlistedSlack = 1_000;
/** As the server counts: more than that is "100 or more". */
const mostUnread = 100;
/** Code points of a preview, as the server cuts it. */
const previewLength = 140;

export class ThreadRows {
  /** Those that were read or changed last come last. */
  readonly #threads = new Map<string, Thread>();
  /** Not known any more, but still shown. */
  readonly #left = new Map<string, Thread>();
  /** With more than so many, listed or not, it is time to look for those that go. */
  #most = mostUnlisted + unlistedSlack;

  get(threadId: string): Thread | undefined {
    return this.#threads.get(threadId);
  }

  /** Also what has been forgotten and is still shown. */
  getShown(threadId: string): Thread | undefined {
    return this.#threads.get(threadId) ?? this.#left.get(threadId);
  }

  all(): Iterable<Thread> {
    return this.#threads.values();
  }

  /** Whether there may be more that are not listed than are kept. */
  get isFull(): boolean {
    return this.#threads.size > this.#most;
  }

  /** Of those that are not listed, what was read or changed last is kept, up to {@link mostUnlisted}: of the others the next event asks. */
  limit(isListed: (thread: Thread) => boolean): void {
    const unlisted = Array.from(this.#threads.values()).filter(thread => !isListed(thread));
    this.#most = this.#threads.size - unlisted.length + mostUnlisted + unlistedSlack;
    for (const { threadId } of unlisted.slice(0, -mostUnlisted)) this.#threads.delete(threadId);
  }

  #set(threadId: string, thread: Thread): void {
    this.#threads.delete(threadId);
    this.#threads.set(threadId, thread);
  }

  /** Threads as they were read. Gives whether anything is new. */
  put(threads: readonly Thread[]): boolean {
    let isNew = false;
    for (const thread of threads) {
      const known = this.#threads.get(thread.threadId);
      if (known !== undefined && (known.sequence ?? 0) > (thread.sequence ?? 0)) continue;
      const shown = this.getShown(thread.threadId);
      const readSequence = Math.max(shown?.readSequence ?? 0, thread.readSequence ?? 0);
      // Read here since it was asked for.
      const hasReadMore = readSequence > (thread.readSequence ?? 0) && readSequence >= (thread.sequence ?? 0);
      this.#set(thread.threadId, {
        ...thread,
        readSequence,
        ...(hasReadMore ? { unreadCount: 0 } : {}),
      });
      isNew = true;
    }
    return isNew;
  }

  /** What is known of it may be wrong, and no event will tell: it has to be read. */
  forget(threadId: string): void {
    const thread = this.#threads.get(threadId);
    if (thread === undefined) return;
    this.#left.set(threadId, thread);
    this.#threads.delete(threadId);
  }

  forgetAll(): void {
    for (const threadId of this.#threads.keys()) this.forget(threadId);
  }

  /** What has been forgotten is not shown any more. */
  clearLeft(): void {
    this.#left.clear();
  }

  /**
   * Gives what has become of it: `changed`; `unknown`, where a thread is not here and the event does not tell all of it; or nothing.
   */
  takeEvent(event: SkeinEvent): 'changed' | 'unknown' | 'nothing' {
    const { data } = event;
    const threadId = 'threadId' in data ? data.threadId : undefined;
    if (threadId === undefined) return 'nothing';
    const known = this.#threads.get(threadId);
    if ('thread' in data) return this.#takeThread(known, data.thread);
    // A node of before does not say how many have failed by now.
    const { eventName } = event;
    if (eventName === 'channel.message.delivery_failed' && event.data.failedSends === undefined)
      return 'unknown';
    // It may belong to a queue from now on.
    if (known === undefined) return describeChange(event, known) === undefined ? 'nothing' : 'unknown';
    const changed = takeChange(known, event);
    if (changed === known) return 'nothing';
    const isMessage = eventName === 'thread.message.received' || eventName === 'thread.message.created';
    this.#set(threadId, isMessage ? withMessage(changed, event.data.message) : changed);
    return 'changed';
  }

  /** The operator has read up to there, which is the newest message that has come. */
  markRead(threadId: string, sequence: number): boolean {
    const shown = this.getShown(threadId);
    if (shown === undefined || (shown.readSequence ?? 0) >= sequence) return false;
    const rows = this.#threads.has(threadId) ? this.#threads : this.#left;
    rows.set(threadId, { ...shown, readSequence: sequence, unreadCount: 0 });
    return true;
  }

  #takeThread(known: Thread | undefined, thread: Thread): 'changed' | 'unknown' | 'nothing' {
    // Without a preview it is half a row: it is read.
    if (known === undefined) return 'unknown';
    if ((known.sequence ?? 0) >= (thread.sequence ?? 0)) return 'nothing';
    const { unreadCount, readSequence } = known;
    // What was said is gone with an erasure.
    const { preview, match } =
      (known.erasedAt ?? null) === (thread.erasedAt ?? null) ? known : { preview: null, match: undefined };
    this.#set(thread.threadId, {
      ...thread,
      ...(preview === undefined ? {} : { preview }),
      ...(unreadCount === undefined ? {} : { unreadCount }),
      ...(readSequence === undefined ? {} : { readSequence }),
      ...(match === undefined ? {} : { match }),
    });
    return 'changed';
  }
}

/** What a row shows of its newest message. */
function withMessage(thread: Thread, message: Message): Thread {
  const { unreadCount = 0, readSequence = 0, sequence = 0 } = thread;
  const isUnread = message.direction === 'inbound' && sequence > readSequence;
  return {
    ...thread,
    preview: toPreview(message),
    unreadCount: isUnread ? Math.min(mostUnread, unreadCount + 1) : unreadCount,
  };
}

function toPreview(message: Message): NonNullable<Thread['preview']> {
  const { messageId, direction, body, actor, attachments, content, createdAt } = message;
  const text = Array.from(body.replaceAll(/\s+/g, ' ').trim());
  return {
    messageId,
    direction,
    actorType: actor?.type ?? 'system',
    text: text.length > previewLength ? `${text.slice(0, previewLength - 1).join('')}…` : text.join(''),
    contentType: content?.type ?? null,
    attachmentCount: attachments.length,
    at: createdAt,
  };
}
