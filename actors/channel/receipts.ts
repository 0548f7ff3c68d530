/**
 * How a report on an outbound message reaches the message's thread. This is the impure part: it reads, asks, and reads again.
 *
 * A receipt whose provider id no message has yet is parked. That no receipt is lost between "nobody has this id" and "this message
 * got this id" follows from each side writing first and looking afterwards: whoever parks looks for the message after its
 * commit, whoever links looks for parked receipts after its own, and of two that overlap at least one sees the other. The commit
 * that applies parked receipts removes those that were read, by their status, and leaves what was parked since to that look.
 * Should a crash stop both, the channel's reminder looks once more.
 */
import { notFound, ServiceError } from '../../protocol/errors.ts';
import type { Actor } from '../../protocol/resources/message.ts';
import type { ActorRef } from '../../runtime/actor.ts';
import type { Database } from '../../storage/database.ts';
import { messageAsOf, parkedReceipts } from '../../storage/reads/messages.ts';
import type { Tenancy } from '../tenancy.ts';
import type { ReceiptOutcome, RecordReceipts } from '../thread/commands.ts';
import type { ParkReceipt } from './commands.ts';
import type { Receipt } from './providers/provider.ts';

/** What it reads from, and whom it asks: `ask` rejects with the `ServiceError` of the asked actor. */
export interface ReceiptServices {
  readonly db: Pick<Database, 'query'>;
  readonly ask: (to: ActorRef, command: string, payload: unknown) => Promise<unknown>;
}

/** Names the message by our id, by the provider's, or by both, which links them. */
export interface ReceiptReport extends Tenancy {
  readonly channelId: string;
  readonly messageId?: string;
  readonly externalMessageId?: string;
  /** Absent: only what is parked. */
  readonly receipt?: Receipt;
  readonly author: Actor;
}

/** Readings made before giving up on a thread whose messages change faster than they can be read. */
const attempts = 5;

/**
 * Records the report's receipt and what is parked for the message. Resolves with whether there is such a message, and whether
 * it has just got its provider's id.
 */
export async function applyReceipts(
  services: ReceiptServices,
  report: ReceiptReport,
): Promise<'recorded' | 'linked' | 'unknown'> {
  const { projectId, environmentId, channelId, externalMessageId, receipt, author } = report;
  for (let attempt = 0; attempt < attempts; attempt++) {
    const reading = await messageAsOf(services.db, report);
    if (reading === undefined) return 'unknown';
    const parked =
      externalMessageId === undefined
        ? []
        : await parkedReceipts<Receipt>(services.db, channelId, externalMessageId);
    const receipts = receipt === undefined ? parked : [receipt, ...parked];
    if (receipts.length === 0) return 'recorded';
    const command: RecordReceipts = {
      projectId,
      environmentId,
      reading,
      ...(externalMessageId === undefined ? {} : { externalMessageId }),
      receipts,
      unpark: parked.map(({ status }) => status),
      author,
    };
    const thread = { kind: 'thread', id: reading.message.threadId };
    const { outcome } = (await services.ask(thread, 'recordReceipts', command)) as ReceiptOutcome;
    if (outcome === 'recorded') {
      return externalMessageId !== undefined && reading.message.externalMessageId === null
        ? 'linked'
        : 'recorded';
    }
  }
  throw new ServiceError('svc/runtime/unavailable', { retryAfterSeconds: 1 });
}

/** Resolves once the report is committed: at the message, or parked. Rejects with 404 for a messageId that is not there. */
export async function reportReceipt(services: ReceiptServices, report: ReceiptReport): Promise<void> {
  const { projectId, environmentId, channelId, messageId, externalMessageId, receipt } = report;
  const outcome = await applyReceipts(services, report);
  if (outcome === 'recorded') return;
  if (outcome === 'linked') {
    await applyReceipts(services, withoutReceipt(report));
    return;
  }
  if (messageId !== undefined || externalMessageId === undefined || receipt === undefined) throw notFound();
  const parking: ParkReceipt = { projectId, environmentId, externalMessageId, receipt };
  await services.ask({ kind: 'channel', id: channelId }, 'park', parking);
  await applyReceipts(services, withoutReceipt(report));
}

/** Only what is parked: the report's own receipt is committed already. */
function withoutReceipt({ receipt: _receipt, ...rest }: ReceiptReport): ReceiptReport {
  return rest;
}
