/**
 * Decisions: receipts of outbound messages.
 *
 *   queued -> sent -> delivered -> read   by rank: ranks may be skipped, never taken back
 *   queued, sent -> failed                final, unless nobody knew what became of it: then it stands as if it were queued
 *
 * Receipts come twice and out of order: one that does not move its message forward is dropped without an event. A message has three events
 * of receipts at most, so `sent` after a failure of unknown outcome is announced as a change of the message.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Turn } from '../../runtime/actor/index.ts';
import type { Message, MessageError, MessageStatus, ReceiptStatus } from '../../protocol/resources/index.ts';
import { settleSend, unparkReceipt, updateMessageStatus } from '../../storage/writes/index.ts';
import type { EventName } from '../../protocol/events.ts';
import { conflict } from '../../protocol/errors.ts';
import { getProvider, type Receipt, type ReceiptOutcome, type RecordReceipts } from '../channel/index.ts';
import { outsideWindowCode } from '../chatapp/index.ts';
import { type Metadata, requireSameTenancy } from '../base/index.ts';
import { ThreadDecisionBuilder, type ThreadDecision } from './decision-builder.ts';
import { noteReceipt } from './free-entry.ts';
import { noteAliases } from './participant.ts';
import { recallChange, rememberChange } from './recent-changes.ts';
import { closeRefusedWindow } from './service-window.ts';
import type { ThreadState } from './state.ts';

const ranks = { queued: 0, sent: 1, delivered: 2, read: 3 } as const;

const receiptEvents: Readonly<Record<ReceiptStatus, EventName>> = {
  sent: 'channel.message.sent',
  delivered: 'channel.message.delivered',
  read: 'channel.message.read',
  failed: 'channel.message.delivery_failed',
};

/** What receipts change of a message. */
interface Progress {
  readonly status: MessageStatus | null;
  readonly error: MessageError | undefined;
  /** What the provider says of its price. */
  readonly billing: object | undefined;
}

/** Whether a receipt moves a message forward. */
export function advances(
  { status: from, error }: Pick<Progress, 'status' | 'error'>,
  { status: to, error: reason }: Pick<Receipt, 'status' | 'error'>,
): boolean {
  if (from === 'failed') return to !== 'failed' && isUnknown(error);
  // By now it is known.
  if (to === 'failed' && isUnknown(reason)) return from === 'queued';
  const rank = from === null ? 0 : ranks[from];
  return to === 'failed' ? rank <= ranks.sent : ranks[to] > rank;
}

/** Nobody knows whether the provider has taken the message. */
function isUnknown(error: MessageError | undefined): boolean {
  return error?.details?.outcome === 'unknown';
}

/** By rank, so that each of several receipts has its event; failures last, where they may find the message delivered. */
function sortByRank(receipts: readonly Receipt[]): readonly Receipt[] {
  const rank = (status: ReceiptStatus): number => (status === 'failed' ? 4 : ranks[status]);
  return [...receipts].sort((a, b) => rank(a.status) - rank(b.status));
}

/** A message as erasing its participant leaves it. */
function toErased(message: Message): Message {
  const { content: _c, replyTo: _r, forwarded: _f, referral: _e, ...plain } = message;
  return { ...plain, body: '', attachments: [], metadata: {}, externalMessageId: null };
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

  const known = (recent ?? message).externalMessageId ?? null;
  const external = known ?? externalMessageId ?? null;
  if (externalMessageId !== undefined && external !== externalMessageId) {
    throw conflict('The message has another externalMessageId.');
  }
  const isLinked = external !== known;
  if (isLinked && isExternalIdTaken === true) throw conflict('Another message has this externalMessageId.');
  const before: Progress = {
    status: (recent ?? message).status ?? null,
    error: (recent ?? message).error,
    billing: isSentByUs(state) ? readBilling(recent?.metadata ?? message.metadata) : undefined,
  };
  const builder = new ThreadDecisionBuilder(state, turn);
  const linked = { ...message, externalMessageId: external };
  const after = applyReceipts(builder, command, linked, before, isErased);
  if (isLinked && after.status === before.status) announceChange(builder, command, linked, after);
  unparkReceipts(builder, command, external);
  if (command.aliases !== undefined && !isErased) noteAliases(builder, command.aliases);
  const reply: ReceiptOutcome = { outcome: 'recorded', status: after.status };
  if (after === before && !isLinked) return { writes: builder.writes, reply };
  writeProgress(builder, { messageId, external, before, after });
  return builder.decide(reply);
}

/** Whether the message leaves by our own hand, and not by that of the channel's owner. */
function isSentByUs({ channelKind }: Pick<ThreadState, 'channelKind'>): boolean {
  return getProvider(channelKind)?.dispatch === 'send';
}

function readBilling({ chatapp }: Metadata): object | undefined {
  return typeof chatapp === 'object' && chatapp !== null ? chatapp : undefined;
}

/** A stale reading has recorded nothing: the report is read again, and keeps its key for then. */
export function toKeptOutcome(reply: ReceiptOutcome): ReceiptOutcome | undefined {
  return reply.outcome === 'stale' ? undefined : reply;
}

/** The message as it is shown after its receipts. */
function show(message: Message, { status, error, billing }: Progress): string {
  const { error: _before, ...plain } = message;
  const metadata = billing === undefined ? message.metadata : { ...message.metadata, chatapp: billing };
  return JSON.stringify({ ...plain, status, metadata, ...(error === undefined ? {} : { error }) });
}

function announceChange(
  builder: ThreadDecisionBuilder,
  { author }: RecordReceipts,
  message: Message,
  progress: Progress,
  more = '',
): void {
  const members = `"message":${show(message, progress)}${more}`;
  builder.addEvent('thread.message.updated', JSON.stringify(author), members);
}

/** Adds one event for each receipt that moves the message forward; gives what the message has come to, the same object if nothing changed. */
function applyReceipts(
  builder: ThreadDecisionBuilder,
  command: RecordReceipts,
  message: Message,
  before: Progress,
  isErased: boolean,
): Progress {
  let progress = before;
  for (const receipt of sortByRank(command.receipts)) {
    const previous = progress;
    if (receipt.billing !== undefined && !isErased) {
      const billing = { ...progress.billing, ...receipt.billing };
      if (!isDeepStrictEqual(billing, progress.billing)) progress = { ...progress, billing };
    }
    const { status } = receipt;
    if (advances(progress, receipt)) {
      const isProof = status === 'sent' && progress.status === 'failed';
      // The provider's words may name an erased participant: the event has them, until it is emptied, too.
      progress = { ...progress, status, error: status === 'failed' && !isErased ? receipt.error : undefined };
      const failures = noteOutcome(builder, message, previous.status, status);
      if (isProof) announceChange(builder, command, message, progress, failures);
      else announceReceipt(builder, command, show(message, progress), receipt, failures);
    }
    if (progress !== previous) followUp(builder, receipt, message);
  }
  return progress;
}

/**
 * Counts the messages that could not be sent. They are made good by one that was written after they were known, and was sent; by the end of
 * the conversation (decision-builder.ts); and each by a late word that it was sent after all.
 *
 * @returns the count as a member of an event's data, with a comma before it; nothing where it has not changed
 */
function noteOutcome(
  { next }: ThreadDecisionBuilder,
  message: Message,
  before: MessageStatus | null,
  status: ReceiptStatus,
): string {
  const { failedSends } = next;
  if (status === 'failed') {
    // The event that says so is the next one.
    next.failedSends = { count: (failedSends?.count ?? 0) + 1, sequence: next.sequence + 1 };
  } else if (failedSends !== null) {
    const isLater = (message.sequence ?? 0) > failedSends.sequence;
    const count = isLater ? 0 : failedSends.count - (before === 'failed' ? 1 : 0);
    next.failedSends = count === 0 ? null : { ...failedSends, count };
  }
  const count = next.failedSends?.count ?? 0;
  return count === (failedSends?.count ?? 0) ? '' : `,"failedSends":${count}`;
}

function announceReceipt(
  builder: ThreadDecisionBuilder,
  { author }: RecordReceipts,
  message: string,
  { status, error, occurredAt }: Receipt,
  more: string,
): void {
  const failure = status === 'failed' ? `,"error":${JSON.stringify(error ?? null)}` : '';
  const members = `"message":${message},"occurredAt":${JSON.stringify(occurredAt)}${failure}${more}`;
  builder.addEvent(receiptEvents[status], JSON.stringify(author), members);
}

/** What a receipt says of the thread. */
function followUp(builder: ThreadDecisionBuilder, receipt: Receipt, message: Message): void {
  const { status, occurredAt, error } = receipt;
  if (status === 'failed' && error?.code === String(outsideWindowCode)) {
    closeRefusedWindow(builder, Date.parse(occurredAt));
  }
  noteReceipt(builder, receipt, message.createdAt);
}

function unparkReceipts(
  { next: { channelId }, writes }: ThreadDecisionBuilder,
  { unpark }: RecordReceipts,
  externalMessageId: string | null,
): void {
  if (externalMessageId === null || channelId === null) return;
  for (const status of unpark) writes.push(unparkReceipt({ channelId, externalMessageId, status }));
}

interface Written {
  readonly messageId: string;
  readonly external: string | null;
  readonly before: Progress;
  readonly after: Progress;
}

/** All is written, even if it did not change now: of several updates in one batch only the last is carried out. */
function writeProgress(
  { next, writes, threadId, at }: ThreadDecisionBuilder,
  { messageId, external, before, after }: Written,
): void {
  const { status, error, billing } = after;
  const details = {
    ...(error === undefined ? {} : { error }),
    ...(billing === undefined ? {} : { metadata: { chatapp: billing } }),
  };
  writes.push(
    updateMessageStatus({
      messageId,
      threadId,
      ...(status === null ? {} : { status }),
      ...(external === null ? {} : { externalMessageId: external }),
      ...details,
      at,
    }),
  );
  if (isSentByUs(next) && before.status === 'queued') writes.push(settleSend({ messageId, threadId }));
  const { sequence } = next;
  next.recent = rememberChange(next.recent, {
    messageId,
    status,
    externalMessageId: external,
    ...details,
    sequence,
  });
}
