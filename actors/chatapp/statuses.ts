/** What a webhook of the provider reports of messages that have left. */
import { isId } from '../../protocol/ids.ts';
import type { ReceiptStatus } from '../../protocol/resources/index.ts';
import { read, readList, readText } from './graph.ts';
import { type ChatappIdentity, listOwnChanges, parseTimestamp, readId, toStorable } from './payload.ts';

/** One report on one message. */
export interface ChatappStatus {
  /** The provider's id of the message. */
  readonly externalMessageId: string;
  /** Our id of it, which the provider was given with the message. Undefined: it was not sent from here. */
  readonly messageId: string | undefined;
  readonly status: ReceiptStatus;
  /** Epoch milliseconds. */
  readonly occurredAt: number;
  /** Why it failed. */
  readonly error: { readonly code: string; readonly message: string } | undefined;
  /** What the provider charges for it. */
  /** A voice message was played. */
  readonly isPlayed: boolean;
  readonly pricing: ChatappPricing | undefined;
  readonly conversation: ChatappConversation | undefined;
}

/** In the provider's words; null: it does not say. */
export interface ChatappPricing {
  readonly billable: boolean | null;
  readonly model: string | null;
  readonly type: string | null;
  readonly category: string | null;
}

/** What the message is billed with; the provider names it rarely outside free entries. */
export interface ChatappConversation {
  readonly id: string | null;
  readonly origin: string | null;
  /** ISO 8601. */
  readonly expiresAt: string | null;
}

/** A voice message that was played was read, too. Others are of no meaning here. */
const statuses: Readonly<Record<string, ReceiptStatus>> = {
  sent: 'sent',
  delivered: 'delivered',
  read: 'read',
  played: 'read',
  failed: 'failed',
};

/**
 * The reports for the channel, in the order of the payload.
 *
 * @param receivedAt epoch milliseconds: for reports that do not say when it happened
 */
export function readStatuses(
  payload: unknown,
  identity: ChatappIdentity,
  receivedAt: number,
): ChatappStatus[] {
  const found: ChatappStatus[] = [];
  for (const change of listOwnChanges(payload, identity)) {
    if (change.field !== 'messages') continue;
    for (const node of readList(change.value, 'statuses')) {
      const status = toStatus(node, receivedAt);
      if (status !== undefined) found.push(status);
    }
  }
  return found;
}

function toStatus(node: unknown, receivedAt: number): ChatappStatus | undefined {
  const externalMessageId = readId(node, 'id');
  const status = Object.hasOwn(statuses, readText(node, 'status'))
    ? statuses[readText(node, 'status')]
    : undefined;
  // A message to a group has no thread here.
  if (externalMessageId === '' || status === undefined || readText(node, 'recipient_type') === 'group') {
    return undefined;
  }
  const messageId = readText(node, 'biz_opaque_callback_data');
  const occurredAt = parseTimestamp(readText(node, 'timestamp')) ?? receivedAt;
  return {
    externalMessageId,
    messageId: isId('message', messageId) ? messageId : undefined,
    status,
    // The provider's clock may be ahead of ours.
    occurredAt: Math.min(occurredAt, receivedAt),
    error: status === 'failed' ? toError(readList(node, 'errors')[0]) : undefined,
    isPlayed: readText(node, 'status') === 'played',
    pricing: toPricing(read(node, 'pricing')),
    conversation: toConversation(read(node, 'conversation')),
  };
}

const maxTextLength = 1_024;

function toError(node: unknown): { readonly code: string; readonly message: string } {
  const details = readText(read(node, 'error_data'), 'details');
  const title = readText(node, 'title') || readText(node, 'message');
  const message = [title, details].filter((text, index, all) => text !== '' && all.indexOf(text) === index);
  return {
    code: readId(node, 'code') || 'unknown',
    message: toStorable(message.join(': ')).slice(0, maxTextLength).toWellFormed(),
  };
}

function toPricing(node: unknown): ChatappPricing | undefined {
  if (typeof node !== 'object' || node === null) return undefined;
  const billable = read(node, 'billable');
  return {
    billable: typeof billable === 'boolean' ? billable : null,
    model: readId(node, 'pricing_model') || null,
    type: readId(node, 'type') || null,
    category: readId(node, 'category') || null,
  };
}

function toConversation(node: unknown): ChatappConversation | undefined {
  if (typeof node !== 'object' || node === null) return undefined;
  const expiresAt = parseTimestamp(readText(node, 'expiration_timestamp'));
  return {
    id: readId(node, 'id') || null,
    origin: readId(read(node, 'origin'), 'type') || null,
    expiresAt: expiresAt === undefined ? null : new Date(expiresAt).toISOString(),
  };
}
