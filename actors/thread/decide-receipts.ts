/**
 * What becomes of an outbound message.
 *
 *   queued -> sent -> delivered -> read   by rank: ranks may be skipped, never taken back
 *   queued, sent -> failed                final
 *
 * A receipt that does not move the message is dropped without an event: receipts come twice and out of order.
 */
import type { Decision, Turn } from '../../runtime/actor.ts';
import type { ReceiptStatus } from '../../protocol/resources/channel.ts';
import type { Message, MessageStatus } from '../../protocol/resources/message.ts';
import { unparkReceipt, updateMessageStatus, type Write } from '../../storage/writes.ts';
import type { EventName } from '../../protocol/events.ts';
import type { Receipt } from '../channel/providers/provider.ts';
import type { ReceiptOutcome, RecordReceipts } from './commands.ts';
import { Draft } from './draft.ts';
import { conflict } from '../conflict.ts';
import { requireOwn } from '../tenancy.ts';
import { recall, remember } from './recent-changes.ts';
import type { ThreadState } from './state.ts';

const ranks = { queued: 0, sent: 1, delivered: 2, read: 3 } as const;

const eventOf: Readonly<Record<ReceiptStatus, EventName>> = {
  sent: 'channel.message.sent',
  delivered: 'channel.message.delivered',
  read: 'channel.message.read',
  failed: 'channel.message.delivery_failed',
};

/** Whether a receipt moves a message forward. */
export function advances(from: MessageStatus | null, to: ReceiptStatus): boolean {
  if (from === 'failed') return false;
  const rank = from === null ? 0 : ranks[from];
  return to === 'failed' ? rank <= ranks.sent : ranks[to] > rank;
}

/** By rank, so that of several receipts each has its event; a failure last, where it may find the message delivered. */
function inOrder(receipts: readonly Receipt[]): readonly Receipt[] {
  const rank = (status: ReceiptStatus): number => (status === 'failed' ? 4 : ranks[status]);
  return [...receipts].sort((a, b) => rank(a.status) - rank(b.status));
}

/** A message as it is left when its participant is forgotten. */
function erased(message: Message): Message {
  return { ...message, body: '', attachments: [], metadata: {}, externalMessageId: null };
}

/**
 * Applies what moves the message forward, one event each, and links the provider's id. Replies `stale` for a reading
 * that is too
 * old; 404 for another tenant's thread, 409 for an inbound message and for another externalMessageId than the one it
 * has.
 */
export function recordReceipts(
  state: ThreadState,
  command: RecordReceipts,
  turn: Turn,
): Decision<ThreadState, ReceiptOutcome, Write> {
  requireOwn(state, command);
  const { message: read, asOf } = command.reading;
  const { messageId } = read;
  const isErased = (read.sequence ?? Infinity) <= (state.recent.erasedUpTo ?? 0);
  // What its provider calls it is not learned again either.
  const message = isErased ? erased(read) : read;
  const externalMessageId = isErased ? undefined : command.externalMessageId;
  if (message.direction !== 'outbound') throw conflict('Only outbound messages have receipts.');
  const remembered = recall(state.recent, messageId, asOf);
  if (remembered === 'stale') return { reply: { outcome: 'stale', status: null } };

  const before = remembered ?? message;
  const known = before.externalMessageId ?? null;
  const external = known ?? externalMessageId ?? null;
  if (externalMessageId !== undefined && external !== externalMessageId) {
    throw conflict('The message has another externalMessageId.');
  }
  const draft = new Draft(state, turn);
  const { next, at, threadId } = draft;
  const actor = JSON.stringify(command.author);
  const shown = (): string => JSON.stringify({ ...message, externalMessageId: external, status });

  let status = before.status ?? null;
  for (const receipt of inOrder(command.receipts)) {
    if (!advances(status, receipt.status)) continue;
    status = receipt.status;
    const failure = status === 'failed' ? `,"error":${JSON.stringify(receipt.error ?? null)}` : '';
    const occurredAt = JSON.stringify(receipt.occurredAt);
    draft.event(eventOf[status], actor, `"message":${shown()},"occurredAt":${occurredAt}${failure}`);
  }
  const moved = next.sequence > state.sequence;
  const linked = external !== known;
  if (linked && !moved) draft.event('thread.message.updated', actor, `"message":${shown()}`);

  if (external !== null && next.channelId !== null) {
    for (const parked of command.unpark) {
      const row = { channelId: next.channelId, externalMessageId: external, status: parked };
      draft.writes.push(unparkReceipt(row));
    }
  }
  const reply: ReceiptOutcome = { outcome: 'recorded', status };
  if (!moved && !linked) return { writes: draft.writes, reply };
  // Both are always said, even what did not change now: of several updates in one batch only the last is carried out.
  const moves = status === null ? {} : { status };
  const names = external === null ? {} : { externalMessageId: external };
  draft.writes.push(updateMessageStatus({ messageId, threadId, ...moves, ...names, at }));
  next.recent = remember(state.recent, {
    messageId,
    status,
    externalMessageId: external,
    sequence: next.sequence,
  });
  return draft.decide(reply);
}
