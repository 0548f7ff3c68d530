/** What becomes of messages that the provider was not asked for, or gave no answer to; and how it is committed, whatever it is. */
import type { MessageError } from '../../protocol/resources/index.ts';
import { isRefusal } from '../../runtime/actor/index.ts';
import type { Log } from '../../runtime/observability/index.ts';
import {
  dropSend,
  type DueSend,
  dueSends,
  markUnknown,
  nextSendAt,
  oldestSends,
} from '../../storage/chatapp/index.ts';
import { findChatapp } from '../../storage/reads/index.ts';
import { systemActor } from '../base/index.ts';
import type { WorkDone } from './commands.ts';
import type { Receipt } from './providers.ts';
import { type ReceiptReport, type ReceiptServices, reportReceipts } from './receipts.ts';

export interface SettleServices extends ReceiptServices {
  readonly log: Log;
  readonly now: () => number;
}

/** Milliseconds until a message has failed of which nobody knows whether the provider has taken it. */
const unknownMs = 600_000;
/** How long messages wait for a connection, or for a provider that takes none, in milliseconds. */
export const waitMs = 3_600_000;
const pageSize = 200;

/** What was claimed by somebody who has gone becomes unknown, and what has been unknown for too long fails. */
export async function settleLost(services: SettleServices, channelId: string): Promise<void> {
  const { db, now } = services;
  const lost = await dueSends(db, channelId, { now: now(), queued: false, limit: pageSize });
  for (const send of lost) {
    if (send.status === 'sending') {
      const message = 'The node that was sending the message has ended.';
      await markUnknown(db, send.messageId, getUnknownUntil(send.startedAt ?? send.createdAt), { message });
    } else {
      const message = send.error?.message ?? 'The provider did not say whether it took the message.';
      await fail(services, channelId, send, { message, details: { outcome: 'unknown' } });
    }
  }
}

/** When it has failed. */
export function getUnknownUntil(startedAt: Date): number {
  return startedAt.getTime() + unknownMs;
}

/** The channel is not connected: its messages wait, and fail after an hour. */
export async function failOverdue(
  services: SettleServices,
  channelId: string,
): Promise<Omit<WorkDone, 'work'>> {
  const { db, now } = services;
  const channel = await findChatapp(db, channelId);
  const since = channel?.updatedAt.getTime() ?? 0;
  const waiting = await oldestSends(db, channelId, pageSize);
  const getEnd = ({ createdAt }: DueSend): number => Math.max(createdAt.getTime(), since) + waitMs;
  const overdue = waiting.filter(send => getEnd(send) <= now());
  const message = 'The channel has not been connected for an hour.';
  for (const send of overdue) {
    await fail(services, channelId, send, { code: 'svc/chatapp/channel_not_connected', message });
  }
  const unknownAt = await nextSendAt(db, channelId, { queued: false });
  const ends = [unknownAt, ...waiting.slice(overdue.length, overdue.length + 1).map(getEnd)];
  const times = ends.filter(at => at !== undefined);
  return {
    hasMore: overdue.length === pageSize,
    ...(times.length === 0 ? {} : { nextAt: Math.min(...times) }),
  };
}

/** The message has failed. */
export async function fail(
  services: SettleServices,
  channelId: string,
  send: Pick<DueSend, 'messageId' | 'projectId' | 'environmentId'>,
  error: MessageError,
): Promise<void> {
  const occurredAt = new Date(services.now()).toISOString();
  await settle(services, channelId, send, {}, { status: 'failed', occurredAt, error });
}

/** Commits what became of a message. A message that is not there any more needs nothing but its row deleted. */
export async function settle(
  services: SettleServices,
  channelId: string,
  { messageId, projectId, environmentId }: Pick<DueSend, 'messageId' | 'projectId' | 'environmentId'>,
  linked: Pick<ReceiptReport, 'externalMessageId' | 'aliases'>,
  receipt: Receipt | undefined,
): Promise<void> {
  const receipts = receipt === undefined ? [] : [receipt];
  const tenancy = { projectId, environmentId };
  const report = { ...tenancy, channelId, messageId, ...linked, receipts, author: systemActor };
  try {
    await reportReceipts(services, report);
  } catch (err) {
    if (!isRefusal(err)) throw err;
    services.log.warn({ err, channelId, messageId }, 'a message of a chat channel is not there any more');
    await dropSend(services.db, messageId);
  }
}
