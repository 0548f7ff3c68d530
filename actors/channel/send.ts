/**
 * Sends the messages of a chatapp channel to its provider (storage/chatapp/sends.ts has the states of a message that leaves). A message is
 * claimed by a committed row before the provider is asked, and asked for once by each claim. What became of it is committed by its thread,
 * as a receipt of our own, which deletes the row.
 *
 * Where the answer is lost, nobody knows whether the provider has taken the message: it is not sent again. A webhook that reports on it
 * names it by our id, and settles it. Without one the message fails after ten minutes, and even then a later report proves it sent. What the
 * provider has answered is not lost where the database or the thread is away for some seconds: it is recorded again and again, for as long as
 * the claim lasts.
 *
 * While the channel is not connected, its messages wait for an hour (settle-send.ts).
 */
import { randomInt } from 'node:crypto';
import type { MessageAttachment, MessageError } from '../../protocol/resources/index.ts';
import { isRefusal } from '../../runtime/actor/index.ts';
import type { Log } from '../../runtime/observability/index.ts';
import { type Clock, pause } from '../../runtime/time/index.ts';
import {
  type ClaimedSend,
  claimSend,
  dropUpload,
  type DueSend,
  dueSends,
  markUnknown,
  nextSendAt,
  postponeSend,
  renewClaim,
  requeueSend,
} from '../../storage/chatapp/index.ts';
import type { Media } from '../../storage/media/index.ts';
import type { Tenancy } from '../base/index.ts';
import {
  type AcceptedMessage,
  classifySendError,
  getSendRetryMs,
  type Graph,
  GraphError,
  isFileRefusal,
  isNumberThrottled,
  type MediaSource,
  sendMessage,
  toRecipient,
} from '../chatapp/index.ts';
import type { WorkDone } from './commands.ts';
import { createLoss, type CredentialServices, openConnection, type OpenConnection } from './credentials.ts';
import type { InFlight } from './in-flight.ts';
import { type Pacer, pairMs } from './pacer.ts';
import type { Receipt } from './providers.ts';
import type { ReceiptServices } from './receipts.ts';
import { fail, failOverdue, getUnknownUntil, settle, settleLost, waitMs } from './settle-send.ts';
import type { ChannelTurns } from './turns.ts';
import { provideFile } from './uploads.ts';

/** What the node gives to the task. */
export interface SendServices extends CredentialServices {
  readonly graph: Graph;
  readonly media: Pick<Media, 'open'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Aborted when the node drains: no further message is begun. */
  readonly draining: AbortSignal;
  /** Aborted when a draining node waits no longer: answers that are still out are lost. */
  readonly abandoned: AbortSignal;
}

/** The statements of `db` wait for their turn. */
export type SendTask = SendServices &
  Pick<ReceiptServices, 'ask'> & {
    /** The database for messages that are on their way: what became of one must not wait behind all that is still to be read. */
    readonly reports: SendServices['db'];
    readonly pacer: Pacer;
    readonly inFlight: InFlight;
    readonly turns: Pick<ChannelTurns, 'messages' | 'tasks'>;
    readonly projectId: string;
    readonly now: () => number;
  };

type Done = Omit<WorkDone, 'work'>;

/** Times are milliseconds. How long a task begins messages: another node may own the channel by now. */
const taskMs = 10_000;
/** Between two looks for messages that have come while others are on their way. */
const lookMs = 250;
/** And this long for each channel that waits for its provider: a thousand looks a second of a node, each a statement. */
const lookMsOfChannel = 1;
const pageSize = 200;
/** Messages of a channel in flight, and the few while the node has many. */
const maxInFlight = 64;
const fewInFlight = 4;
const manyOfNode = 1_024;
const callMs = 20_000;
const uploadMs = 35_000;
/** A claim ends after this time: more than a call and an upload take. Then other nodes take the outcome for unknown, and later messages leave. */
const claimMs = 60_000;
/** A claim that is older is renewed right before the request: the process may have been paused, or the upload slow. */
const freshMs = 10_000;
/** Tries of a message that the provider fails at. */
const maxTries = 5;
/** Tries to commit what the provider has answered: at least so many, and for as long as the claim lasts. */
const minReports = 5;
const firstReportMs = 400;
const maxReportMs = 5_000;

/**
 * Sends what may leave now, in the order of each thread. Ends when no more messages may begin; those in flight are in `inFlight`. Rejects
 * if the database is away.
 */
export async function workThroughSends(services: SendTask, channelId: string): Promise<Done> {
  const { db, now } = services;
  const open = await openConnection(services, channelId, now());
  await settleLost(services, channelId);
  if (open?.status !== 'connected') return failOverdue(services, channelId);
  const run = new SendRun(services, channelId, open);
  await run.work();
  // The recovery scanner comes back to the channel.
  if (run.isNodeFull) return { hasMore: false };
  const dueAt = await nextSendAt(db, channelId, { queued: true });
  if (dueAt === undefined) return { hasMore: false };
  const nextAt = Math.max(dueAt, services.pacer.getNumberAt(open.connection.phoneNumberId));
  return { hasMore: nextAt <= now() && !services.draining.aborted, nextAt };
}

/** One task's work on a channel that is connected. */
class SendRun {
  readonly #services: Omit<SendTask, 'reports'>;
  readonly #reads: SendTask['db'];
  readonly #channelId: string;
  readonly #open: OpenConnection;
  /** Each once in a run, whatever becomes of it. */
  readonly #begun = new Set<string>();
  #isOver = false;
  /** The last message could not begin because the channel, or the node, has enough in flight. */
  #isFull = false;

  constructor(services: SendTask, channelId: string, open: OpenConnection) {
    this.#services = { ...services, db: services.reports };
    this.#reads = services.db;
    this.#channelId = channelId;
    this.#open = open;
  }

  /** The node has enough in flight, and none of it is the channel's. */
  get isNodeFull(): boolean {
    return this.#isFull && this.#services.inFlight.list(this.#channelId).length === 0;
  }

  /** Resolves when it begins no more messages. While it waits for those in flight, other channels have its turn. */
  async work(): Promise<void> {
    const { now, clock, draining, inFlight, turns, projectId } = this.#services;
    const channelId = this.#channelId;
    const end = now() + taskMs;
    while (!this.#isOver && !draining.aborted && now() < end) {
      const due = await dueSends(this.#reads, channelId, { now: now(), queued: true, limit: pageSize });
      const fresh = due.filter(
        ({ messageId, status }) =>
          status === 'queued' && !this.#begun.has(messageId) && !inFlight.has(channelId, messageId),
      );
      this.#isFull = false;
      for (const send of fresh) {
        if (await this.#begin(send)) continue;
        if (!this.#isFull) return;
        break;
      }
      if (fresh.length > 0 && !this.#isFull) continue;
      const sending = inFlight.list(channelId);
      if (sending.length === 0) return;
      const ms = Math.max(lookMs, inFlight.channels * lookMsOfChannel);
      await turns.tasks.sends.runWithout(projectId, () => Promise.race([...sending, pause(clock, ms)]));
    }
  }

  /** Gives whether further ones may follow. */
  async #begin(send: DueSend): Promise<boolean> {
    const { messageId, threadId } = send;
    const { now, pacer, inFlight, turns, projectId } = this.#services;
    const channelId = this.#channelId;
    const threadAt = pacer.getThreadAt(threadId);
    if (threadAt > now()) {
      this.#begun.add(messageId);
      await postponeSend(this.#reads, messageId, threadAt);
      return true;
    }
    const most = inFlight.size < manyOfNode ? maxInFlight : fewInFlight;
    this.#isFull = inFlight.list(channelId).length >= most || !turns.messages.tryTake(projectId);
    if (this.#isFull) return false;
    if (!(await this.#waitForPlace())) {
      turns.messages.release(projectId);
      return false;
    }
    this.#begun.add(messageId);
    const sent = this.#send(send).finally(() => turns.messages.release(projectId));
    void inFlight.add(channelId, messageId, sent);
    return true;
  }

  /** Waits for the number's next place. Gives whether a message may leave then. */
  async #waitForPlace(): Promise<boolean> {
    const { now, clock, pacer, draining } = this.#services;
    const { phoneNumberId } = this.#open.connection;
    // The provider takes none for a while: the channel's reminder comes again.
    if (pacer.getNumberAt(phoneNumberId) > now() + lookMs) return false;
    const wait = pacer.takePlace(phoneNumberId, now()) - now();
    if (wait > 0) await pause(clock, wait);
    return !this.#isOver && !draining.aborted;
  }

  /** Never rejects: a row that was claimed is found again by its time. */
  async #send(send: DueSend): Promise<void> {
    const { db, now, log, pacer } = this.#services;
    const channelId = this.#channelId;
    const { messageId, file } = send;
    try {
      // Before the claim: should the node end meanwhile, the message is still queued.
      if (file !== null) await this.#uploadAhead(send, file);
      const at = now();
      const { accessToken } = this.#open.connection;
      const claim = { messageId, channelId, accessToken, now: at, until: at + claimMs, nextAt: at + pairMs };
      const claimed = await claimSend(db, claim);
      if (claimed === undefined) return;
      pacer.noteThread(claimed.threadId, at);
      await this.#sendClaimed(claimed, at);
    } catch (err) {
      log.warn({ err, channelId, messageId }, 'it was not recorded what became of a message');
    }
  }

  async #sendClaimed(claimed: ClaimedSend, at: number): Promise<void> {
    const { messageId } = claimed;
    let accepted: AcceptedMessage;
    try {
      accepted = await this.#call(claimed, at);
    } catch (error) {
      if (error instanceof Unsendable) await this.#fail(claimed, at, { message: error.message });
      else if (error instanceof UploadFailed) await this.#takeRefusal(claimed, error.refusal, at);
      else if (error instanceof GraphError) await this.#takeRefusal(claimed, error, at, 'of the message');
      else throw error;
      return;
    }
    const { externalMessageId, isHeld, names } = accepted;
    const { externalRef, participant } = claimed;
    const known = [externalRef, ...Object.values(participant?.attributes ?? {})];
    const aliases = names.filter(name => !known.includes(name));
    const occurredAt = new Date(this.#services.now()).toISOString();
    const receipt: Receipt | undefined = isHeld ? undefined : { status: 'sent', occurredAt };
    await this.#insist(messageId, at, () =>
      settle(this.#services, this.#channelId, claimed, { externalMessageId, aliases }, receipt),
    );
  }

  /** Asks the provider. Rejects with `GraphError`, with `UploadFailed` before that, and with `Unsendable` if it must not be asked. */
  async #call(claimed: ClaimedSend, claimedAt: number): Promise<AcceptedMessage> {
    const { graph, abandoned } = this.#services;
    const { connection, as } = this.#open;
    const { messageId, body, attachments, details, externalRef, participant, targetId } = claimed;
    const content = details?.content;
    const to = toRecipient(externalRef, participant?.attributes);
    if (to === undefined) throw new Unsendable('The participant is not known any more.');
    if (content?.type === 'reaction' && targetId === null) {
      throw new Unsendable('The provider does not have the message that it reacts to.');
    }
    const [attachment] = attachments;
    const media =
      attachment === undefined
        ? undefined
        : await this.#provideFile(claimed, attachment).catch((error: unknown) => {
            throw error instanceof Unsendable ? error : this.#toUploadFailed(messageId, error);
          });
    const message = { messageId, to, body, attachment, content, media, targetId: targetId ?? undefined };
    if (this.#services.now() - claimedAt > freshMs) await this.#renewClaim(claimed);
    const signal = AbortSignal.any([AbortSignal.timeout(callMs), abandoned]);
    return sendMessage(graph, as, connection.phoneNumberId, message, signal);
  }

  /** Another node may have taken the outcome for unknown, and sent later messages of the thread: then this one must not follow them. */
  async #renewClaim(claimed: ClaimedSend): Promise<void> {
    const { db, now } = this.#services;
    const isRenewed = await renewClaim(db, claimed, now() + claimMs).catch((error: unknown) => {
      throw this.#toUploadFailed(claimed.messageId, error, 'The message cannot be sent now.');
    });
    if (!isRenewed) throw new Unsendable('The node was paused, and did not send the message in time.');
  }

  /** The provider was not asked for the message: whatever has failed before, other than the provider's refusal, may pass. */
  #toUploadFailed(messageId: string, error: unknown, message = 'The file cannot be read now.'): UploadFailed {
    if (error instanceof GraphError) return new UploadFailed(error);
    this.#services.log.warn({ err: error, messageId }, 'a message cannot be sent now');
    return new UploadFailed(new GraphError(message, { isTransient: true }));
  }

  /** Where it fails, the message's own attempt says why. */
  async #uploadAhead(send: DueSend, file: MessageAttachment): Promise<void> {
    try {
      await this.#provideFile(send, file);
    } catch (error) {
      if (!(error instanceof GraphError) && !(error instanceof Unsendable)) throw error;
    }
  }

  async #provideFile(send: Tenancy, attachment: MessageAttachment): Promise<MediaSource> {
    const signal = AbortSignal.any([AbortSignal.timeout(uploadMs), this.#services.abandoned]);
    const media = await provideFile(this.#services, this.#open, send, attachment, signal);
    if (media === undefined) throw new Unsendable('The file of the message is not there.');
    return media;
  }

  /** The provider did not take the message or its file, or did not say so. What it says of a file, it does not say of the number. */
  async #takeRefusal(
    claimed: ClaimedSend,
    error: GraphError,
    startedAt: number,
    refusal: 'of the message' | 'of its file' = 'of its file',
  ): Promise<void> {
    const { db, now, log, pacer, ask } = this.#services;
    const { messageId, threadId, attempts, createdAt } = claimed;
    const { phoneNumberId, connectedAt } = this.#open.connection;
    const { code, message } = error;
    const told = { ...(code === undefined ? {} : { code: String(code) }), message };
    const failure = classifySendError(error);
    log.debug({ channelId: this.#channelId, messageId, code, failure, attempts }, 'a message was not taken');
    const { attachmentId } = claimed.attachments[0] ?? {};
    // It may not have the file any more: the next attempt gives it once more.
    if (attachmentId !== undefined && isFileRefusal(error))
      await this.#insist(messageId, startedAt, () => dropUpload(db, { phoneNumberId, attachmentId }));
    if (failure === 'lost') {
      const until = getUnknownUntil(new Date(startedAt));
      await this.#insist(messageId, startedAt, () => markUnknown(db, messageId, until, told));
      return;
    }
    const at = now() + getSendRetryMs(error, attempts) + randomInt(500);
    const failures = (claimed.error?.failures ?? 0) + (failure === 'temporary' ? 1 : 0);
    const isLastTry = failure === 'temporary' && failures >= maxTries;
    // A message that has waited for the connection has its hour from then on.
    const since = Math.max(createdAt.getTime(), Date.parse(connectedAt));
    const isTooLate = failure === 'throttled' && at > since + waitMs;
    if (failure === 'refused' || isLastTry || isTooLate) {
      await this.#fail(claimed, startedAt, told);
      return;
    }
    pacer.releaseThread(threadId);
    if (refusal === 'of the message' && isNumberThrottled(error)) pacer.pause(phoneNumberId, at);
    const loss = createLoss(this.#open, error);
    if (loss !== undefined) this.#isOver = true;
    await this.#insist(messageId, startedAt, () => requeueSend(db, claimed, at, { ...told, failures }));
    if (loss !== undefined) await ask({ kind: 'channel', id: this.#channelId }, 'loseConnection', loss);
  }

  #fail(claimed: ClaimedSend, startedAt: number, error: MessageError): Promise<void> {
    const report = () => fail(this.#services, this.#channelId, claimed, error);
    return this.#insist(claimed.messageId, startedAt, report);
  }

  /**
   * The provider has said what became of the message, and says it only once. What is recorded is of this claim alone, so that it may be
   * recorded twice. When the claim is over, others take the outcome for unknown.
   */
  async #insist(messageId: string, startedAt: number, report: () => Promise<void>): Promise<void> {
    const { clock, log, now, draining } = this.#services;
    for (let tries = 1; ; tries++) {
      try {
        await report();
        return;
      } catch (err) {
        const isOver = draining.aborted || now() >= startedAt + claimMs;
        if (isRefusal(err) || (isOver && tries >= minReports)) throw err;
        log.debug({ err, messageId, tries }, 'what became of a message is recorded once more');
        await pause(clock, Math.min(firstReportMs * 2 ** (tries - 1), maxReportMs));
      }
    }
  }
}

/** The provider must not be asked: there is nothing to ask for, or later messages may have left. */
class Unsendable extends Error {
  override readonly name = 'Unsendable';
}

/** The provider did not take the file of a message, or was not asked for the message. */
class UploadFailed extends Error {
  override readonly name = 'UploadFailed';
  readonly refusal: GraphError;

  constructor(refusal: GraphError) {
    super(refusal.message);
    this.refusal = refusal;
  }
}
