/**
 * Decisions: receipts of outbound messages.
 *
 *   queued -> sent -> delivered -> read   by rank: ranks may be skipped, never taken back
 *   queued, sent -> failed                final
 *
 * Receipts come twice and out of order: one that does not move its message forward is dropped without an event.
 */
import type { Turn } from '../../runtime/actor/index.ts';
import type { Message, MessageStatus, ReceiptStatus } from '../../protocol/resources/index.ts';
import { unparkReceipt, updateMessageStatus } from '../../storage/writes/index.ts';
import type { EventName } from '../../protocol/events.ts';
import { conflict } from '../../protocol/errors.ts';
import type { Receipt, ReceiptOutcome, RecordReceipts } from '../channel/index.ts';
import { requireSameTenancy } from '../base/index.ts';
import { ThreadDecisionBuilder, type ThreadDecision } from './decision-builder.ts';
import { recallChange, rememberChange } from './recent-changes.ts';
import type { ThreadState } from './state.ts';

const ranks = { queued: 0, sent: 1, delivered: 2, read: 3 } as const;

const receiptEvents: Readonly<Record<ReceiptStatus, EventName>> = {
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

/** By rank, so that each of several receipts has its event; failures last, where they may find the message delivered. */
function sortByRank(receipts: readonly Receipt[]): readonly Receipt[] {
  const rank = (status: ReceiptStatus): number => (status === 'failed' ? 4 : ranks[status]);
  return [...receipts].sort((a, b) => rank(a.status) - rank(b.status));
}

/** A message as erasing its participant leaves it. */
function toErased(message: Message): Message {
  return { ...message, body: '', attachments: [], metadata: {}, externalMessageId: null };
}

/**
 * Applies the receipts that move the message forward, with one event each, and links the provider's id. Replies `stale` when the
 * reading is too old. 404 for another tenant's thread; 409 for an inbound message, for another externalMessageId than the message
 * has, and for one that another message has.
 */
export function recordReceipts(
  state: ThreadState,
  command: RecordReceipts,
  turn: Turn,
): ThreadDecision<ReceiptOutcome> {
  requireSameTenancy(state, command);
  const { message: read, asOf, isExternalIdTaken } = command.reading;
  const { messageId } = read;
  const isErased = (read.sequence ?? Infinity) <= (state.recent.erasedUpTo ?? 0);
  // Nor is the provider's id of an erased message stored again.
  const message = isErased ? toErased(read) : read;
  const externalMessageId = isErased ? undefined : command.externalMessageId;
  if (message.direction !== 'outbound') throw conflict('Only outbound messages have receipts.');
  const recent = recallChange(state.recent, messageId, asOf);
  if (recent === 'stale') return { reply: { outcome: 'stale', status: null } };

  const before = recent ?? message;
  const known = before.externalMessageId ?? null;
  const external = known ?? externalMessageId ?? null;
  if (externalMessageId !== undefined && external !== externalMessageId) {
    throw conflict('The message has another externalMessageId.');
  }
  const isLinked = external !== known;
  if (isLinked && isExternalIdTaken === true) throw conflict('Another message has this externalMessageId.');
  const builder = new ThreadDecisionBuilder(state, turn);
  const { next, at, threadId } = builder;
  const linked = { ...message, externalMessageId: external };
  const status = addReceiptEvents(builder, command, linked, before.status ?? null);
  const hasMoved = next.sequence > state.sequence;
  if (isLinked && !hasMoved) {
    const members = `"message":${JSON.stringify({ ...linked, status })}`;
    builder.addEvent('thread.message.updated', JSON.stringify(command.author), members);
  }
  if (external !== null && next.channelId !== null) {
    for (const parked of command.unpark) {
      const row = { channelId: next.channelId, externalMessageId: external, status: parked };
      builder.writes.push(unparkReceipt(row));
    }
  }
  const reply: ReceiptOutcome = { outcome: 'recorded', status };
  if (!hasMoved && !isLinked) return { writes: builder.writes, reply };
  builder.writes.push(
    updateMessageStatus({
      messageId,
      threadId,
      // Both are written, even if one did not change now: of several updates in one batch only the last is carried out.
      ...(status === null ? {} : { status }),
      ...(external === null ? {} : { externalMessageId: external }),
      at,
    }),
  );
  const { sequence } = next;
  next.recent = rememberChange(state.recent, { messageId, status, externalMessageId: external, sequence });
  return builder.decide(reply);
}

/** A stale reading has recorded nothing: the report is read again, and keeps its key for then. */
export function toKeptOutcome(reply: ReceiptOutcome): ReceiptOutcome | undefined {
  return reply.outcome === 'stale' ? undefined : reply;
}

/** Adds one event for each receipt that moves the message forward; returns the status that the message has then. */
function addReceiptEvents(
  builder: ThreadDecisionBuilder,
  { receipts, author }: RecordReceipts,
  message: Message,
  from: MessageStatus | null,
): MessageStatus | null {
  const actor = JSON.stringify(author);
  let status = from;
  for (const receipt of sortByRank(receipts)) {
    if (!advances(status, receipt.status)) continue;
    status = receipt.status;
    const failure = status === 'failed' ? `,"error":${JSON.stringify(receipt.error ?? null)}` : '';
    const shown = JSON.stringify({ ...message, status });
    const occurredAt = JSON.stringify(receipt.occurredAt);
    builder.addEvent(receiptEvents[status], actor, `"message":${shown},"occurredAt":${occurredAt}${failure}`);
  }
  return status;
}
