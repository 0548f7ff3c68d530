/**
 * Fetches the files that participants of a chatapp channel send. Each is a row that its message has written (storage/chatapp/files.ts): it
 * is fetched from the provider into a temporary file, checked, moved to the media store, and then its thread is told. What a crash
 * interrupts is done again: a file that is in the store is not fetched again, and a thread that knows of it says nothing.
 */
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { type ActorRef, isRefusal, LimitReached } from '../../runtime/actor/index.ts';
import type { Log } from '../../runtime/observability/index.ts';
import { type Clock, pause } from '../../runtime/time/index.ts';
import {
  type ClaimedFile,
  claimFiles,
  dropFile,
  nextFileAt,
  postponeFile,
} from '../../storage/chatapp/index.ts';
import type { Database } from '../../storage/database/index.ts';
import {
  announceFetched,
  claimUpload,
  completeUpload,
  dropFetched,
  findAttachments,
  type Media,
  releaseUpload,
} from '../../storage/media/index.ts';
import { findMessageWithSequence } from '../../storage/reads/index.ts';
import type { Limits } from '../../storage/writes/index.ts';
import {
  downloadMedia,
  type FetchedBytes,
  type FileRequests,
  type Graph,
  GraphError,
  MediaFailed,
  type Tries,
} from '../chatapp/index.ts';
import type { FetchedFile, SettleAttachment, WorkDone } from './commands.ts';
import { type CredentialServices, openConnection, type OpenConnection } from './credentials.ts';
import { useFileFolder } from './file-folders.ts';
import type { InFlight } from './in-flight.ts';
import type { ChannelTurns } from './turns.ts';

/** What the node gives to the task. */
export interface FileServices extends CredentialServices {
  readonly db: Pick<Database, 'query' | 'em'>;
  readonly graph: Graph;
  readonly pool: FileRequests;
  readonly media: Pick<Media, 'put' | 'remove' | 'requireRoom'>;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly log: Log;
  /** Aborted when a draining node waits no longer. */
  readonly abandoned: AbortSignal;
}

export interface FileTask extends FileServices {
  /** Rejects with the `ServiceError` of the actor that was asked. */
  readonly ask: (to: ActorRef, command: string, payload: unknown) => Promise<unknown>;
  readonly inFlight: InFlight;
  /** A permit of `files` is for a file of the largest size in the temporary folder. */
  readonly turns: Pick<ChannelTurns, 'files' | 'fetches' | 'tasks'>;
  readonly projectId: string;
  readonly now: () => number;
}

/** Files of one channel that are fetched, or wait for room, at once. */
const maxInFlight = 8;

/** Times are milliseconds. One file, from the provider to the store. */
const fetchMs = 180_000;
/** How long a file waits for room, and after what time it is looked at again where there was none. */
const roomMs = 45_000;
const noRoomMs = 5_000;
/** How long a task waits for its files: those that take longer hold back no others. */
const waitMs = 2_000;
/** Who has claimed a file this long ago has gone. */
const claimMs = 300_000;
/** A file waits for a connection, and is looked at again after this time. */
const unconnectedMs = 300_000;
/** How long the provider keeps what participants send. */
const providerKeptMs = 7 * 86_400_000;

/** Attempts by what has failed; with the waits between them twelve take two days. */
const maxAttempts: Readonly<Record<Tries, number>> = { once: 1, few: 4, many: 12 };
const firstRetryMs = 5_000;
const maxRetryMs = 12 * 3_600_000;

function getRetryMs(attempts: number): number {
  return Math.min(firstRetryMs * 3 ** (attempts - 1), maxRetryMs);
}

/** Fetches files that are due. It may leave more of them, and some on their way, which `inFlight` has. Rejects where the database is away. */
export async function fetchFiles(services: FileTask, channelId: string): Promise<Omit<WorkDone, 'work'>> {
  const { db, clock, inFlight, now, projectId } = services;
  const { tasks, fetches } = services.turns;
  const running = inFlight.list(channelId);
  if (running.length >= maxInFlight) await tasks.files.runWithout(projectId, () => Promise.race(running));
  let permits = 0;
  while (inFlight.list(channelId).length + permits < maxInFlight && fetches.tryTake(projectId)) permits++;
  // The node fetches as many as it can: the recovery scanner comes back to the channel.
  if (permits === 0) return { hasMore: false };
  const limit = permits;
  let files: readonly ClaimedFile[] = [];
  try {
    const open = await openConnection(services, channelId, now());
    const at = now();
    files = await claimFiles(db, { channelId, now: at, until: at + claimMs, limit });
    permits -= files.length;
    const begun = files.map(file => {
      const fetched = takeFile(services, open, file).finally(() => fetches.release(projectId));
      return inFlight.add(channelId, file.attachmentId, fetched);
    });
    if (begun.length > 0) {
      const ended = Promise.all(begun);
      await tasks.files.runWithout(projectId, () => Promise.race([ended, pause(clock, waitMs)]));
    }
  } finally {
    for (; permits > 0; permits--) fetches.release(projectId);
  }
  const nextAt = await nextFileAt(db, channelId);
  return { hasMore: files.length === limit, ...(nextAt === undefined ? {} : { nextAt }) };
}

/** Never rejects: a file that was claimed is found again by its time. */
async function takeFile(
  services: FileTask,
  open: OpenConnection | undefined,
  file: ClaimedFile,
): Promise<void> {
  const { channelId, attachmentId } = file;
  try {
    const fetched = await fetchFile(services, open, file);
    if (fetched !== undefined) await settle(services, file, fetched);
  } catch (err) {
    services.log.warn({ err, channelId, attachmentId }, 'a file of a chat channel waits');
  }
}

/** What has become of the file. Undefined: it has to wait, and the row says for how long. */
async function fetchFile(
  services: FileTask,
  open: OpenConnection | undefined,
  file: ClaimedFile,
): Promise<FetchedFile | undefined> {
  const { db, now, log } = services;
  const { channelId, attachmentId, attempts, createdAt } = file;
  if (open?.status !== 'connected') return waitForConnection(services, file);
  try {
    return await bringHere(services, open, file);
  } catch (err) {
    if (err instanceof GraphError) {
      // Whatever it says of the token, it says it of the whole channel.
      await services.ask({ kind: 'channel', id: channelId }, 'lookAtCredentials', {});
      return waitForConnection(services, file);
    }
    // An unknown error may pass, for as long as the provider has the file.
    const { message, tries } =
      err instanceof MediaFailed ? err : { message: 'The file could not be stored.', tries: undefined };
    const most = tries === undefined ? Infinity : maxAttempts[tries];
    const isTooLate = now() >= createdAt.getTime() + providerKeptMs;
    log.info({ err, channelId, attachmentId, attempts }, 'a file of the chat provider could not be fetched');
    if (attempts >= most || isTooLate) return fail(services, file, message);
    await postponeFile(db, file, { at: now() + getRetryMs(attempts), attempts });
    return undefined;
  }
}

async function fail({ db, now }: FileTask, file: ClaimedFile, reason: string): Promise<FetchedFile> {
  await dropFetched(db, file, now());
  return { status: 'failed', reason };
}

/** The channel is not connected: the file waits for as long as the provider has it. */
async function waitForConnection(services: FileTask, file: ClaimedFile): Promise<FetchedFile | undefined> {
  const { attempts, createdAt } = file;
  const now = services.now();
  if (now >= createdAt.getTime() + providerKeptMs) {
    return fail(services, file, 'The channel was not connected while the provider had the file.');
  }
  await postponeFile(services.db, file, { at: now + unconnectedMs, attempts: attempts - 1 });
  return undefined;
}

/**
 * Fetches the file unless the store has it. Undefined: nobody awaits it any more, somebody else stores it at this moment, or there was no room
 * for it.
 */
async function bringHere(
  services: FileTask,
  { as, connection }: OpenConnection,
  file: ClaimedFile,
): Promise<FetchedFile | undefined> {
  const { db, now, turns, abandoned } = services;
  const { attachmentId, projectId, attempts } = file;
  const [stored] = await findAttachments(db, file, [attachmentId]);
  if (stored?.status === 'stored') return toReady(stored);
  const within = (ms: number): AbortSignal => AbortSignal.any([AbortSignal.timeout(ms), abandoned]);
  if (!(await turns.files.takeUnlessAborted(projectId, within(roomMs)))) {
    // Nothing was tried.
    await postponeFile(db, file, { at: now() + noRoomMs, attempts: attempts - 1 });
    return undefined;
  }
  try {
    return await useFileFolder(async folder => {
      const path = join(folder, 'bytes');
      const signal = within(fetchMs);
      const fetched = await downloadMedia(services, as, connection.phoneNumberId, file, path, signal);
      return store(services, file, path, fetched);
    });
  } finally {
    turns.files.release(projectId);
  }
}

function toReady({
  mimeType,
  sizeBytes,
  storageKey,
}: FetchedBytes & { readonly storageKey: string }): FetchedFile {
  return { status: 'ready', mimeType, sizeBytes, storageKey };
}

async function store(
  { db, media, limits, now }: FileTask,
  file: ClaimedFile,
  path: string,
  { mimeType, sizeBytes }: FetchedBytes,
): Promise<FetchedFile | undefined> {
  const { attachmentId, projectId, environmentId } = file;
  const filename = file.filename ?? nameByType(mimeType);
  const announced = {
    attachmentId,
    projectId,
    environmentId,
    filename,
    mimeType,
    sizeBytes,
    now: now(),
  };
  try {
    await announceFetched(db, announced, limits);
  } catch (error) {
    if (error instanceof LimitReached) throw new MediaFailed('There is no room for more files.', 'many');
    throw error;
  }
  const upload = await claimUpload(db, file, now());
  if (upload === undefined) return undefined;
  const { storageKey } = upload;
  try {
    await media.requireRoom(sizeBytes);
    const sha256 = await media.put({ key: storageKey, size: sizeBytes, mimeType }, createReadStream(path));
    const outcome = await completeUpload(db, media, upload, sha256, now());
    return outcome === 'stored' ? toReady({ mimeType, sizeBytes, storageKey }) : undefined;
  } catch (error) {
    await releaseUpload(db, upload);
    throw error;
  }
}

/** For files that the provider gives no name. */
function nameByType(mimeType: string): string {
  const [kind = '', subtype = ''] = (mimeType.split(';', 1)[0] ?? '').trim().split('/', 2);
  return /^(image|audio|video)$/.test(kind) && /^[a-z0-9]{1,8}$/.test(subtype)
    ? `${kind}.${subtype}`
    : 'file';
}

/** Times that a thread is asked whose messages change faster than they can be read. */
const maxReadings = 5;

/** Tells the thread. Rejects where it cannot be asked now: the row stays, and what was stored is found then. */
async function settle({ db, ask }: FileTask, file: ClaimedFile, fetched: FetchedFile): Promise<void> {
  const { projectId, environmentId, threadId, attachmentId } = file;
  for (let attempt = 0; attempt < maxReadings; attempt++) {
    const reading = await findMessageWithSequence(db, file);
    if (reading === undefined) return dropFile(db, file);
    const command: SettleAttachment = { projectId, environmentId, reading, attachmentId, file: fetched };
    try {
      const outcome = await ask({ kind: 'thread', id: threadId }, 'settleAttachment', command);
      if (outcome === 'settled') return;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return dropFile(db, file);
    }
  }
}
