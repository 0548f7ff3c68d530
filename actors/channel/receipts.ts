/**
 * Brings a report on an outbound message to the message's thread. This is the part with I/O: it reads, asks, and reads again.
 *
 * A receipt is parked when no message has its provider id yet. No receipt is lost between "nobody has this id" and "this message
 * got this id", because each side writes first and looks afterwards: after parking, it looks for the message; after linking a
 * message with its provider id, it looks for parked receipts. If the two overlap, at least one sees the other. The commit that
 * applies parked receipts removes those that were read, by their status; one that was parked later is left to the other side's
 * look. If a crash stops both, the channel's reminder looks once more.
 */
import { notFound, ServiceError } from '../../protocol/errors.ts';
import type { Actor } from '../../protocol/resources/index.ts';
import type { ActorRef } from '../../runtime/actor/index.ts';
import type { Database } from '../../storage/database/index.ts';
import { findMessageWithSequence, parkedReceipts } from '../../storage/reads/index.ts';
import type { Keyed, Tenancy } from '../base/index.ts';
import type { MessageReading, ParkReceipt, ReceiptOutcome, RecordReceipts } from './commands.ts';
import type { Receipt } from './providers.ts';

/** `ask` rejects with the `ServiceError` of the actor that was asked. */
export interface ReceiptServices {
  readonly db: Pick<Database, 'query'>;
  readonly ask: (to: ActorRef, command: string, payload: unknown) => Promise<unknown>;
}

/** Names the message by our id, by the provider's id, or by both, which links them. The commit of the receipts carries the key. */
export interface ReceiptReport extends Tenancy, Keyed {
  readonly channelId: string;
  readonly messageId?: string;
  readonly externalMessageId?: string;
  /** In any order. None: the ids are linked, and the parked receipts are applied. */
  readonly receipts: readonly Receipt[];
  /** As of `RecordReceipts`. */
  readonly aliases?: readonly string[];
  readonly author: Actor;
}

/** After this many readings, give up on a thread whose messages change faster than they can be read. */
const maxReadings = 5;

/**
 * Records the report's receipts and those that are parked for the message. Resolves with `unknown` where there is no such message,
 * and with `linked` where the message has just got its provider's id.
 */
export async function applyReceipts(
  services: ReceiptServices,
  report: ReceiptReport,
): Promise<'recorded' | 'linked' | 'unknown'> {
  for (let attempt = 0; attempt < maxReadings; attempt++) {
    const reading = await findMessageWithSequence(services.db, report);
    if (reading === undefined) return 'unknown';
    const parked = await findParked(services, report);
    const outcome = await recordOnReading(services, report, reading, parked);
    if (outcome !== 'stale') return outcome;
  }
  throw new ServiceError('svc/runtime/unavailable', { retryAfterSeconds: 1 });
}

async function findParked({ db }: ReceiptServices, report: ReceiptReport): Promise<Receipt[]> {
  const { projectId, environmentId, channelId, externalMessageId } = report;
  if (externalMessageId === undefined) return [];
  return parkedReceipts<Receipt>(db, { projectId, environmentId, channelId, externalMessageId });
}

/** The same for a message that was read, and once only: `stale` where the thread has changed it since. */
export async function recordOnReading(
  { ask }: ReceiptServices,
  { projectId, environmentId, externalMessageId, receipts, aliases = [], author, key }: ReceiptReport,
  reading: MessageReading,
  parked: readonly Receipt[] = [],
): Promise<'recorded' | 'linked' | 'stale'> {
  const isLink = externalMessageId !== undefined && reading.message.externalMessageId === null;
  if (receipts.length + parked.length + aliases.length === 0 && !isLink) return 'recorded';
  const command: RecordReceipts = {
    projectId,
    environmentId,
    reading,
    ...(externalMessageId === undefined ? {} : { externalMessageId }),
    receipts: [...receipts, ...parked],
    unpark: parked.map(({ status }) => status),
    ...(aliases.length === 0 ? {} : { aliases }),
    author,
    ...(key === undefined ? {} : { key }),
  };
  const thread = { kind: 'thread', id: reading.message.threadId };
  const { outcome } = (await ask(thread, 'recordReceipts', command)) as ReceiptOutcome;
  if (outcome === 'stale') return 'stale';
  return isLink ? 'linked' : 'recorded';
}

/** Resolves once the report is committed, applied or parked. Rejects with 404 for a messageId that does not exist. */
export async function reportReceipts(services: ReceiptServices, report: ReceiptReport): Promise<void> {
  const { projectId, environmentId, channelId, messageId, externalMessageId, receipts, key } = report;
  const outcome = await applyReceipts(services, report);
  if (outcome === 'recorded') return;
  if (outcome === 'linked') {
    await applyParked(services, report);
    return;
  }
  if (messageId !== undefined || externalMessageId === undefined) throw notFound();
  for (const receipt of receipts) {
    const parking: ParkReceipt = {
      projectId,
      environmentId,
      externalMessageId,
      receipt,
      ...(key === undefined ? {} : { key }),
    };
    await services.ask({ kind: 'channel', id: channelId }, 'park', parking);
  }
  await applyParked(services, report);
}

/** Applies the parked receipts only: what the report itself says is committed already, with its key. */
export async function applyParked(services: ReceiptServices, report: ReceiptReport): Promise<void> {
  const { key: _key, aliases: _aliases, ...rest } = report;
  await applyReceipts(services, { ...rest, receipts: [] });
}
