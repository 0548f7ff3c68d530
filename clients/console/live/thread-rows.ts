/**
 * The threads that are shown in lists, as far as they are known: read by pages, changed by events. Of two states of a thread the later one
 * counts, whichever comes first; what only reads have (the preview, how far the operator has read) is brought forward by events.
 */
import type { Message, SkeinEvent, Thread } from '../../sdk/index.ts';

/** As the server counts: more than that is "100 or more". */
const mostUnread = 100;
/** Code points of a preview, as the server cuts it. */
const previewLength = 140;

export class ThreadRows {
  readonly #threads = new Map<string, Thread>();
  /** Not known any more, but still shown. */
  readonly #left = new Map<string, Thread>();

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
      this.#threads.set(thread.threadId, {
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
    if (event.eventName === 'thread.message.received' || event.eventName === 'thread.message.created') {
      return this.#takeMessage(known, event.data.message, event.data.sequence ?? 0);
    }
    // How many have failed only the server knows.
    if (event.eventName === 'channel.message.delivery_failed') return 'unknown';
    const change = describeChange(event);
    if (change === undefined) return 'nothing';
    // It may belong to a queue from now on.
    if (known === undefined) return 'unknown';
    this.#threads.set(threadId, {
      ...known,
      ...change,
      sequence: Math.max(known.sequence ?? 0, data.sequence ?? 0),
    });
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
    this.#threads.set(thread.threadId, {
      ...thread,
      ...(preview === undefined ? {} : { preview }),
      ...(unreadCount === undefined ? {} : { unreadCount }),
      ...(readSequence === undefined ? {} : { readSequence }),
      ...(match === undefined ? {} : { match }),
    });
    return 'changed';
  }

  #takeMessage(
    known: Thread | undefined,
    message: Message,
    sequence: number,
  ): 'changed' | 'unknown' | 'nothing' {
    if (known === undefined) return 'unknown';
    if ((known.sequence ?? 0) >= sequence) return 'nothing';
    const { threadId, createdAt, direction } = message;
    const isInbound = direction === 'inbound';
    const unread = known.unreadCount ?? 0;
    this.#threads.set(threadId, {
      ...known,
      sequence,
      lastMessageAt: createdAt,
      updatedAt: createdAt,
      preview: toPreview(message),
      unreadCount:
        isInbound && sequence > (known.readSequence ?? 0) ? Math.min(mostUnread, unread + 1) : unread,
      waitingSince: isInbound ? (known.waitingSince ?? createdAt) : null,
      // A message of the participant opens what was closed.
      ...(isInbound && known.status !== 'open' ? { status: 'open', archivedAt: null } : {}),
    });
    return 'changed';
  }
}

/** What events without the thread say of it. */
function describeChange(event: SkeinEvent): Partial<Thread> | undefined {
  switch (event.eventName) {
    case 'thread.service_window.opened':
    case 'thread.service_window.closing':
    case 'thread.service_window.closed':
      return { serviceWindow: event.data.serviceWindow };
    case 'agent.suggestion.created':
      return { pendingSuggestion: event.data.agentRunId };
    case 'agent.suggestion.resolved':
    case 'agent.suggestion.superseded':
    case 'agent.suggestion.expired':
      return { pendingSuggestion: null };
    default:
      return undefined;
  }
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
