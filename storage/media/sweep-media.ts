/** Removes files that no message has taken, and those that were erased: first the bytes, then the row that names them. */
import { type Clock, systemClock } from '../../runtime/time/index.ts';
import type { Queries } from '../database/index.ts';
import type { Media } from './media.ts';

/** Milliseconds after its announcement that a file is kept which was not uploaded: longer than its upload may begin and take. */
const pendingKeptMs = 3_600_000;
/** The same for a file that no message has taken. */
const unusedKeptMs = 24 * 3_600_000;

/** Rows of each statement that finds unused files: the rest waits for the next sweep. */
const maxUnused = 10_000;
/** Erased files of one sweep. */
const maxErased = 10_000;
/** Files of one statement. */
const batchRows = 200;
/** Removals at a time. */
const width = 8;
/** Milliseconds of a sweep after which no removal begins: other maintenance waits for it. */
const beginMs = 20_000;
/** Milliseconds of a sweep after which it waits for no removal any more. */
const waitMs = 25_000;

// Nothing was ever written for them: the store need not be asked.
const deleteUnclaimed = `
  delete from attachments where attachment_id = any (array(
    select attachment_id from attachments
    where message_id is null and created_at < $1 and status = 'pending' and claimed_at is null limit ${maxUnused}
  )) and message_id is null and status = 'pending' and claimed_at is null`;

// The status changes first: from then on no message can take the file, and no upload can complete it.
const eraseUnused = `
  update attachments set status = 'erased', erased_at = $1
  where attachment_id = any (array(
    select attachment_id from attachments
    where message_id is null and created_at < $3 and (status = 'pending' or status = 'stored' and created_at < $2)
    limit ${maxUnused}
  )) and message_id is null`;

const selectErased = `
  select attachment_id as "attachmentId", storage_key as "storageKey" from attachments
  where status = 'erased' and attachment_id > $1 order by attachment_id limit ${batchRows}`;

const deleteErased = `delete from attachments where attachment_id = any ($1::text[]) and status = 'erased'`;

interface ErasedFile {
  readonly attachmentId: string;
  readonly storageKey: string;
}

/** What ends a sweep, and what went wrong in it. */
interface Progress {
  readonly mayGoOn: () => boolean;
  /** Resolves when the sweep waits for no removal any more. */
  readonly over: Promise<unknown>;
  failed: number;
  cause: unknown;
}

export interface MediaSweeperOptions {
  readonly database: Queries;
  readonly media: Pick<Media, 'remove'>;
  /** Default: the machine's. */
  readonly clock?: Pick<Clock, 'monotonic' | 'after'>;
}

/** Sweeps that are bounded, each of which goes on where the one before has ended. Several nodes may sweep at once. */
export class MediaSweeper {
  readonly #database: Queries;
  readonly #media: Pick<Media, 'remove'>;
  readonly #clock: Pick<Clock, 'monotonic' | 'after'>;
  /** Where the next sweep goes on, so that files which cannot be removed keep no others waiting. */
  #after = '';

  constructor({ database, media, clock = systemClock }: MediaSweeperOptions) {
    this.#database = database;
    this.#media = media;
    this.#clock = clock;
  }

  /**
   * One sweep; `now` in epoch milliseconds. Rejects where the database fails, and at its end where the store has not removed a file: a later
   * sweep tries that again. `signal` ends it early, which is no failure; `isWanted` is asked between removals.
   */
  async sweep(now: number, signal?: AbortSignal, isWanted: () => boolean = () => true): Promise<void> {
    const pendingSince = new Date(now - pendingKeptMs);
    await this.#database.query(deleteUnclaimed, [pendingSince]);
    await this.#database.query(eraseUnused, [new Date(now), new Date(now - unusedKeptMs), pendingSince]);
    const { promise: over, resolve: end } = Promise.withResolvers<undefined>();
    const stop = (): void => end(undefined);
    const timer = this.#clock.after(waitMs, stop);
    signal?.addEventListener('abort', stop);
    const beginUntil = this.#clock.monotonic() + beginMs;
    const mayGoOn = (): boolean =>
      signal?.aborted !== true && this.#clock.monotonic() < beginUntil && isWanted();
    const progress: Progress = { mayGoOn, over, failed: 0, cause: undefined };
    try {
      await this.#removeErased(progress);
    } finally {
      timer.cancel();
      signal?.removeEventListener('abort', stop);
    }
    if (progress.failed > 0 && signal?.aborted !== true) {
      throw new Error(`${progress.failed} erased files could not be removed`, { cause: progress.cause });
    }
  }

  async #removeErased(progress: Progress): Promise<void> {
    for (let done = 0; done < maxErased && progress.mayGoOn(); done += batchRows) {
      const rows = await this.#database.query<ErasedFile>(selectErased, [this.#after]);
      const removed = await this.#removeEach(rows, progress);
      if (removed.length > 0) await this.#database.query(deleteErased, [removed]);
      if (rows.length < batchRows && this.#after === (rows.at(-1)?.attachmentId ?? this.#after)) {
        this.#after = '';
        return;
      }
    }
  }

  /** Some at a time. Resolves to those that the store has removed. */
  async #removeEach(rows: readonly ErasedFile[], progress: Progress): Promise<string[]> {
    const removed: string[] = [];
    const left = rows.values();
    const removeNext = async (): Promise<void> => {
      for (const { attachmentId, storageKey } of left) {
        this.#after = attachmentId;
        try {
          const removal = this.#media.remove(storageKey).then(() => true);
          if (await Promise.race([removal, progress.over])) removed.push(attachmentId);
          else throw new Error('the store does not answer');
        } catch (error) {
          progress.failed++;
          progress.cause = error;
        }
        if (!progress.mayGoOn()) return;
      }
    };
    await Promise.all(Array.from({ length: width }, removeNext));
    return removed;
  }
}
