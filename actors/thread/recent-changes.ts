/**
 * How a thread knows the status of its messages without holding them.
 *
 * The sender of a status report first reads the message together with the thread's `sequence`, in one statement, and sends both. What
 * was read is still true unless the thread has changed the message since. So the thread remembers its last few status changes: for a
 * message among them the remembered status counts, for every other message the status that was read. A reading that is older than
 * what the thread remembers is refused as stale and has to be made again. This is exact whatever is pipelined or concurrent, and
 * costs a few hundred bytes per thread.
 */
import type { MessageError, MessageStatus } from '../../protocol/resources/index.ts';
import type { Metadata } from '../base/index.ts';

/** The newest status change of a message. */
export interface StatusChange {
  readonly messageId: string;
  readonly status: MessageStatus | null;
  readonly externalMessageId: string | null;
  /** Why it failed; absent: it has not. */
  readonly error?: MessageError;
  /** Absent: as the message had it when it was written. */
  readonly metadata?: Metadata;
  /** The thread's sequence after the change. */
  readonly sequence: number;
}

/** Part of the thread's state. */
export interface RecentChanges {
  /** Oldest first, one per message. */
  readonly last: readonly StatusChange[];
  /** Changes up to this sequence of the thread may have been forgotten. */
  readonly forgottenUpTo: number;
  /** Messages up to this sequence were erased. A reading from before the erasure brings along what must not be kept. */
  readonly erasedUpTo?: number;
}

/** How many changes are remembered. With more concurrent receipts on one thread, some senders have to read twice. */
const maxRemembered = 8;

export const noChanges: RecentChanges = { last: [], forgottenUpTo: 0 };

/**
 * The newest change of the message that the thread remembers. Undefined: the reading is still true. `stale`: it may not be.
 *
 * @param asOf the thread's sequence when the message was read
 */
export function recallChange(
  recent: RecentChanges,
  messageId: string,
  asOf: number,
): StatusChange | undefined | 'stale' {
  const change = recent.last.find(candidate => candidate.messageId === messageId);
  if (change !== undefined) return change;
  return asOf < recent.forgottenUpTo ? 'stale' : undefined;
}

/** Adds the change, in place of an older one of its message. Beyond the limit the oldest change is forgotten. */
export function rememberChange(recent: RecentChanges, change: StatusChange): RecentChanges {
  const last = recent.last.filter(other => other.messageId !== change.messageId);
  last.push(change);
  if (last.length <= maxRemembered) return { ...recent, last };
  const forgotten = last.shift();
  return { ...recent, last, forgottenUpTo: Math.max(recent.forgottenUpTo, forgotten?.sequence ?? 0) };
}
