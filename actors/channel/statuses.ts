/**
 * Records what webhooks of the chat provider report of messages that have left. All messages of some webhooks are read at once, and each
 * thread is asked once for a message, with everything that they report of it.
 *
 * A report names the message by our id, which the provider was given with it, so it finds its message even where the answer to the send
 * was lost. Only reports on messages that something else has sent by the number name no message of ours: they are parked, as those of custom
 * channels are, and dropped after a day.
 */
import { isRefusal } from '../../runtime/actor/index.ts';
import { type ChannelHead, findMessagesWithSequence } from '../../storage/reads/index.ts';
import { systemActor } from '../base/index.ts';
import { type ChatappStatus, readStatuses } from '../chatapp/index.ts';
import type { MessageReading } from './commands.ts';
import type { Receipt } from './providers.ts';
import {
  applyParked,
  applyReceipts,
  type ReceiptReport,
  recordOnReading,
  reportReceipts,
} from './receipts.ts';
import type { WebhookContent, WebhookTask } from './webhook-task.ts';

/** Threads that are asked at once: fewer than a mailbox takes, if all messages are of one thread. */
const asksAtOnce = 200;

type Report = ReceiptReport & { readonly externalMessageId: string };

/** Resolves once everything that they report is committed. Rejects with the `ServiceError` of the actor that was asked. */
export async function recordStatuses(
  services: WebhookTask,
  channel: ChannelHead,
  webhooks: readonly WebhookContent[],
): Promise<void> {
  const statuses = webhooks.flatMap(({ payload, identity, receivedAt }) =>
    readStatuses(payload, identity, receivedAt),
  );
  if (statuses.length === 0) return;
  const reports = groupByMessage(channel, statuses);
  const { projectId, environmentId, channelId } = channel;
  const found = await findMessagesWithSequence(services.db, {
    projectId,
    environmentId,
    channelId,
    messages: reports.map(({ messageId, externalMessageId }) => ({ messageId, externalMessageId })),
  });
  for (let from = 0; from < reports.length; from += asksAtOnce) {
    const asks = reports
      .slice(from, from + asksAtOnce)
      .map(report => record(services, report, found.get(report.externalMessageId)));
    const failed = (await Promise.allSettled(asks)).find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  }
}

function groupByMessage(
  { projectId, environmentId, channelId }: ChannelHead,
  statuses: readonly ChatappStatus[],
): Report[] {
  const reports = new Map<string, Report & { receipts: Receipt[] }>();
  for (const status of statuses) {
    const { externalMessageId, messageId } = status;
    let report = reports.get(externalMessageId);
    if (report === undefined) {
      const named = messageId === undefined ? {} : { messageId };
      const author = systemActor;
      report = { projectId, environmentId, channelId, externalMessageId, ...named, receipts: [], author };
      reports.set(externalMessageId, report);
    }
    report.receipts.push(toReceipt(status));
  }
  return [...reports.values()];
}

function toReceipt({ status, isPlayed, error, pricing, conversation, ...reported }: ChatappStatus): Receipt {
  const occurredAt = new Date(reported.occurredAt).toISOString();
  const billing = {
    ...(pricing === undefined ? {} : { pricing }),
    ...(conversation === undefined ? {} : { conversation }),
    ...(isPlayed ? { playedAt: occurredAt } : {}),
  };
  return {
    status,
    occurredAt,
    ...(error === undefined ? {} : { error }),
    ...(Object.keys(billing).length === 0 ? {} : { billing }),
  };
}

async function record(
  services: WebhookTask,
  report: Report,
  reading: MessageReading | undefined,
): Promise<void> {
  try {
    if (reading === undefined) {
      // A message that has gone from here, or has never been here.
      if (report.messageId === undefined) await reportReceipts(services, report);
      return;
    }
    let outcome = await recordOnReading(services, report, reading);
    if (outcome === 'stale') {
      const again = await applyReceipts(services, report);
      outcome = again === 'unknown' ? 'recorded' : again;
    }
    if (outcome === 'linked') await applyParked(services, report);
  } catch (err) {
    // It contradicts what is known: that does not become otherwise.
    if (!isRefusal(err)) throw err;
    const { channelId, externalMessageId } = report;
    services.log.warn({ err, channelId, externalMessageId }, 'a report of the chat provider was not taken');
  }
}
