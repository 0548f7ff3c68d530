/**
 * How a thread knows a message's status without holding its messages.
 *
 * Whoever reports a status reads the message first, together with the thread's `sequence`, in one statement, and brings
 * both along. What was read is the truth unless the thread changed that message since. So the thread remembers its last few
 * status changes: a message among them has the status remembered, every other one the status that was read; and a reading
 * older than what the thread remembers is refused as stale, to be made again. Exact whatever is pipelined or concurrent, at the
 * price of a few hundred bytes per thread.
 */
import type { MessageStatus } from '../../protocol/resources/message.ts';

/** A message's newest status change. */
export interface Change {
  readonly messageId: string;
  readonly status: MessageStatus | null;
  readonly externalMessageId: string | null;
  /** The thread's sequence after the change. */
  readonly sequence: number;
}

/** Part of the thread's state. */
export interface RecentChanges {
  /** Oldest first, one per message. */
  readonly last: readonly Change[];
  /** The thread's sequence up to which changes may have been forgotten. */
  readonly forgottenUpTo: number;
  /** Messages up to this sequence were erased: whoever has read one before it was emptied brings along what is not to be kept. */
  readonly erasedUpTo?: number;
}

/** Changes remembered. Concurrent receipts of one thread beyond this number cost their sender a second reading. */
const remembered = 8;

export const noChanges: RecentChanges = { last: [], forgottenUpTo: 0 };

/**
 * The newest change of the message that the thread remembers; undefined: what was read holds; `stale`: read again.
 *
 * @param asOf the thread's sequence when the message was read
 */
export function recall(recent: RecentChanges, messageId: string, asOf: number): Change | undefined | 'stale' {
  const change = recent.last.find(candidate => candidate.messageId === messageId);
  if (change !== undefined) return change;
  return asOf < recent.forgottenUpTo ? 'stale' : undefined;
}

/** With the change added, in place of an older one of its message; past the limit the oldest is forgotten. */
export function remember(recent: RecentChanges, change: Change): RecentChanges {
  const last = recent.last.filter(other => other.messageId !== change.messageId);
  last.push(change);
  if (last.length <= remembered) return { ...recent, last };
  const forgotten = last.shift();
  return { ...recent, last, forgottenUpTo: Math.max(recent.forgottenUpTo, forgotten?.sequence ?? 0) };
}
