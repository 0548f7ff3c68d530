/** Which items of the outbox have arrived, though their answers may not have: as an event shows, or as their thread does. */
import type { Message, Skein, SkeinEvent, ThreadNote } from '../../sdk/index.ts';
import { getMark, type Outgoing } from './outgoing.ts';

/** The place in a message's metadata where the Console puts its key, to know its own messages when the stream brings them. */
export const keyField = 'consoleKey';
/** The place that names the message that failed, which it sends once more. */
export const resendField = 'resendOf';

/** @param userId who writes here */
export function findArrived(
  items: readonly Outgoing[],
  event: SkeinEvent,
  userId: string,
): Outgoing | undefined {
  if (event.eventName === 'thread.message.created') {
    const { message } = event.data;
    return items.find(item => matchesMessage(item, message));
  }
  if (event.eventName !== 'thread.note.created') return undefined;
  const { note } = event.data;
  return items.find(item => item.state === 'sending' && matchesNote(item, note, userId));
}

function matchesMessage(item: Outgoing, { metadata }: Message): boolean {
  const { [keyField]: mark, [resendField]: failed } = metadata;
  // Of a message that failed, a colleague's try is as good.
  return getMark(item) === mark || (item.resend !== undefined && item.resend.messageId === failed);
}

/** A note has no metadata: one of the same author, with the text of one that is on its way, is that one. */
function matchesNote({ threadId, content }: Outgoing, note: ThreadNote, userId: string): boolean {
  if (content.kind !== 'note' || note.authorUserId !== userId) return false;
  return note.threadId === threadId && note.body === content.body;
}

/** The contract's. */
const largestPage = 100;
/** The outbox tries again by itself. */
const once = { maxRetries: 0 };
/** So far a browser's clock may be ahead of the server's, in milliseconds. */
const clockDifferenceMs = 3_600_000;

/** Looks in the item's thread for what it has become there. */
export async function findSent(
  client: Pick<Skein, 'messages' | 'notes'>,
  item: Outgoing,
  userId: string,
): Promise<Message | ThreadNote | undefined> {
  const { threadId, content, afterSequence = 0, first, queuedAt } = item;
  if (content.kind === 'note') {
    const since = new Date((first?.at ?? queuedAt) - clockDifferenceMs).toISOString();
    // The newest first.
    for await (const { data } of client.notes.list(threadId, { limit: largestPage }, once).pages()) {
      const note = data.find(each => matchesNote(item, each, userId) && each.createdAt >= since);
      if (note !== undefined || data.some(({ createdAt }) => createdAt < since)) return note;
    }
    return undefined;
  }
  const query = { afterSequence, order: 'asc', limit: largestPage } as const;
  for await (const { data } of client.messages.list(threadId, query, once).pages()) {
    const message = data.find(each => matchesMessage(item, each));
    if (message !== undefined) return message;
  }
  return undefined;
}
