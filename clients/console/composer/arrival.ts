/** Which item of the outbox an event shows to have arrived, though its answer may not have. */
import type { SkeinEvent } from '../../sdk/index.ts';
import type { Outgoing } from './outgoing.ts';

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
    const { [keyField]: key, [resendField]: failed } = event.data.message.metadata;
    // Of a message that failed, a colleague's try is as good.
    return items.find(
      item => item.key === key || (item.resend !== undefined && item.resend.messageId === failed),
    );
  }
  if (event.eventName !== 'thread.note.created') return undefined;
  const { threadId, body, authorUserId } = event.data.note;
  if (authorUserId !== userId) return undefined;
  // A note has no metadata: one of the same author, with the text of one that is on its way, is that one.
  return items.find(
    item =>
      item.threadId === threadId &&
      item.content.kind === 'note' &&
      item.content.body === body &&
      item.state === 'sending',
  );
}
